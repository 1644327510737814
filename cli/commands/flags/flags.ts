import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { type Load, loadVerbs } from "../load-verbs.ts";
import { heard } from "../../session/command-line.ts";

const VERBS: [names: string, load: Load][] = [
  ["create", async () => (await import("./create.ts")).addCreateCommand],
  ["set", async () => (await import("./set.ts")).addSetCommand],
  ["get", async () => (await import("./get.ts")).addGetCommand],
  ["list", async () => (await import("./list.ts")).addListCommand],
  ["enable disable toggle", async () => (await import("./switch.ts")).addSwitchCommands],
  ["archive restore", async () => (await import("./archive.ts")).addArchiveCommands],
  ["delete", async () => (await import("./archive.ts")).addDeleteCommand],
  ["stale", async () => (await import("./usage.ts")).addStaleCommand],
  ["cleanup", async () => (await import("./usage.ts")).addCleanupCommand],
  ["refs", async () => (await import("./refs/refs.ts")).addRefsCommands],
  ["feedback", async () => (await import("./feedback.ts")).addFeedbackCommands],
  ["usage", async () => (await import("./usage.ts")).addUsageCommand],
  ["reads", async () => (await import("./reads.ts")).addReadsCommand],
  ["evaluate", async () => (await import("./evaluate.ts")).addEvaluateCommand],
  ["import", async () => (await import("./flagd.ts")).addImportCommand],
  ["export", async () => (await import("./flagd.ts")).addExportCommand],
  ["manifest", async () => (await import("./manifest.ts")).addManifestCommand],
  [
    "history",
    async () => {
      const { addHistoryCommand } = await import("../change-history.ts");
      return (flags, io) => addHistoryCommand(flags, io, "flag");
    },
  ],
  ["undo", async () => (await import("./rollback.ts")).addUndoCommand],
  ["rollback", async () => (await import("./rollback.ts")).addRollbackCommand],
  ["promote", async () => (await import("./promote.ts")).addPromoteCommand],
  ["scheduled", async () => (await import("./scheduled.ts")).addScheduledCommand],
  ["ramp", async () => (await import("./ramp.ts")).addRampCommand],
  ["ramps", async () => (await import("./ramp.ts")).addRampsCommand],
  ["release", async () => (await import("./release/release.ts")).addReleaseCommand],
  ["snippet", async () => (await import("./snippet.ts")).addSnippetCommand],
  ["unschedule", async () => (await import("./scheduled.ts")).addUnscheduleCommand],
];

export async function addFlagCommands(flags: Command, io: Io, args: readonly string[]): Promise<void> {
  hearVerbs(flags);
  hearOptions(flags);
  flags.after(`\nExamples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags get new-checkout -p shop -e production
  formflag flags list -p shop -e production
  formflag flags evaluate new-checkout -p shop -e production --context '{"targetingKey":"ann"}'
`);
  await loadVerbs(flags, io, args, VERBS);
}

function hearVerbs(flags: Command): void {
  heard(flags)`
[formflag] ff feature features feature-flag feature-flags toggles strategies gates: type formflag flags list -p <project>
[formflag] toggle: flags toggle
[formflag] blame: flags history
[formflag] rollback revert rollout_undo rollout_restart: formflag flags undo <flag> takes back the newest change, flags rollback <flag> --to <revision> an older one
[formflag] rollout_history rollout_status: formflag flags history <flag> lists the changes, flags ramps the shares that grow
[formflag] ramp ramps: type formflag flags ramp <flag> --variant on --to 1,10,50,100 --every 1d
[formflag] rollout: type formflag flags set <flag> --on --rollout 25
[formflag] evaluate eval evaluation evaluations: type formflag flags evaluate <flag> -p <project> -e <environment>
[formflag] enable disable on off: type formflag flags enable <flag> -p <project> -e <environment>
[formflag] release releases: type formflag flags release <flag>
[formflag] promote publish: formflag flags promote <flag> -p <project> --from staging --to production copies a flag
[formflag] canary blue-green abtest ab-test split bucketing gradual: formflag flags set <flag> --on --rollout 10 is for a share of the users, formflag experiments create <name> compares variants
[formflag] trash bin recycle: what was deleted is in no trash: formflag flags undo <flag> brings a flag back, a backup everything
[formflag] feedback ratings reviews: flags feedback show
[formflag flags] rollout rollouts set-rollout percentage distribution distributions strategy: type formflag flags set <flag> --on --rollout 25; for a share of a segment: --if 'segment beta' --then '25 %'
[formflag flags] rule rules constraint constraints targeting add-rule target targets add-user segments strategies override overrides: a flag holds its rules: formflag flags set <flag> --if 'plan == pro' --then on
[formflag flags] variant variants variations add-variant: a flag holds its variants: formflag flags set <flag> --variants '{"red":"#f00","blue":"#00f"}' --default red
[formflag flags] undo revert rollback: type formflag flags undo <flag> -p <project> -e <environment>
[formflag flags] kill kill-switch killswitch turn-off toggle-off disable-all: type formflag flags disable <flag> -p <project> -e <environment>
[formflag flags] schedule scheduled cron cronjob timer at later: formflag flags set <flag> --on --at <time> schedules a change, formflag flags scheduled lists them
[formflag flags] generate gen codegen types typegen: formflag flags manifest writes the flags of a project for the code generator of OpenFeature: formflag docs sdks
turn-on toggle-on enable-all: flags enable
unarchive: flags restore
eval check test: flags evaluate
log audit blame changes: flags history
status: flags get
purge: flags delete
rename mv move: a slug cannot be changed, since addresses and programs have it: create another flag, and delete this one once no program reads it
stats metrics: formflag stats counts the reads of flags, formflag flags stale lists flags that look finished
lock protect: an environment is locked: formflag environments lock <environment> -p <project>
notify watch subscribe webhook webhooks: formflag targets add <target> -p <project> sends changes of flags there; formflag flags history shows them
copy clone duplicate: formflag export and formflag apply copy flags and forms; formflag flags promote copies between environments
diff compare: formflag flags promote --all --from staging --to production --dry-run compares two environments
search find: formflag flags list shows every flag, with --tag, --owner and --state those of one
tag tags label: type formflag flags set <flag> --tag <tag>
update edit: type formflag flags set, which also creates a flag; flags enable and disable only change one
`;
}

function hearOptions(flags: Command): void {
  heard(flags)`
[get] --payload --value --state --enabled: --field payload prints the payload, --field enabled the state
[list] --archived --on --off --enabled --disabled: --state on, off or archived chooses
[list] --label --tags: --tag
[list] --unused: --stale
[list] --search --filter --name --prefix: it lists every flag; grep, or --json and jq, choose
[list] --payload --values: --json prints every field
[delete] -e --environment: a flag is in every environment of its project; formflag flags disable <flag> -e <environment> turns it off in one
[delete undo enable disable] --all: flags are named: formflag flags delete <flag> <flag>; a project is deleted with its flags
[enable disable] --until --expires --at: --for 2h turns it back after that time; formflag flags set <flag> --on --at <time> schedules a change
[toggle] --for --until --duration: enable and disable take --for: formflag flags enable <flag> --for 2h
-n --namespace: the environment is named with -e: -e $1
[ramp] --to-percent --until --target --by: --to 1,10,50,100 names the steps, --every 1d the time between them
[ramp] --percent --percentage --share: --to $1 names the share, or its steps
[rollback] --to-revision --revision --rev: --to $1 goes back to that change, --to before undoes the newest
[rollback] --steps --before --from: --to <revision> names the change to go back to, --to before undoes the newest
[undo] --to --to-revision --revision --steps: formflag flags rollback <flag> --to <revision> goes further back
[undo] --dry-run: without --yes it shows what changes, and asks
[promote] -e --environment: it copies from one environment to another: --from staging --to production
[evaluate] --attr --attribute --attributes --prop --property --set --with --ctx -c: the values are the context: --context 'plan=pro, country=AT'
[evaluate] --user --key --user-id --targeting-key --targetingKey --as --id: a user is part of the context: --context '{"targetingKey":"ann"}'
[evaluate] --all: one flag at a time; OFREP evaluates all: formflag docs http
[set create] --name --slug --rename --id: a flag has a slug, which follows the command and cannot be changed, and a --description
[set create] --state --status --active --default-value --default-on: --on turns a flag on, --off turns it off
[set create] --value --json-payload: --payload <json> holds data for readers; --on turns a flag on, --off turns it off
[set create] --payload-file --file -f: --payload @FILE reads a file
[set create] --gradual --gradual-rollout --strategy --canary: --rollout 10 turns it on for 10 % of the users
[set create] --percent --percentage --share --rate: --rollout $1 turns it on for $1 % of the users, --if 'segment beta' --then '$1 %' for a share of a segment
[set create] --rule --rules --condition --where --constraint --constraints --match: --if 'plan == pro' --then on is a rule in words, --targeting takes JSON
[set create] --unless --if-not: --if 'not (plan == free)' --then on turns a condition round
[set create] --user --users --for-user --user-id --targeting-key: --if 'targetingKey in ann, bob' --then on is for single users
[set create] --segment --segments: --if 'segment $1' --then on serves a segment, --if 'segment $1' --then '25 %' a share of it
[set create] --all --for-all --no-rules --clear-rules --remove-rules --no-targeting: --everyone removes the rule: everyone gets the same
[create] --for --until --duration: formflag flags enable <flag> --for 2h turns it on and off again; --expires turns it off at a time
[set] --until --duration: --for 2h undoes the change after that time; --expires turns the flag off at a time
[set] --schedule --when --in --after --date: --at 2h, or --at <time>, makes the change then; --if '<condition>' --then on is for some users
[set create] --note --comment --reason --message -m: --why <text> is for the history, --description <text> for the flag
[set create] --tags --label --labels: --tag <tag> is a tag of the flag; repeatable
[set create] --team --assignee --maintainer: --owner
[set create] --type --kind --boolean --string: a flag is on or off, and may have --variants with values of any type
--enabled --enable --disabled --disable: --on turns a flag on, --off turns it off
[set create] /^(on|off|true|false|yes|no|1|0)$/i: --on turns it on and --off off, without a value
[disable toggle] /^(on|true|yes)$/i: formflag flags enable turns a flag on
[enable toggle] /^(off|false|no)$/i: formflag flags disable turns a flag off
[enable disable] /^(on|off|true|false|yes|no)$/i: the verb says it already: leave out $0
[set create] /^(==?|!=|<=?|>=?|is|in|not|and|or|contains|(starts|ends)_with|sem_ver|matches|in_cidr|before|after)$/: a condition is put into quotes: --if 'plan == pro'
[set create] /^%$/: a share is one word: --rollout 25
[set create] /^\d+(\.\d+)?%?$/: a share is an option: --rollout $0
[set create] /=/: --on turns a flag on, --payload holds a value
[list stale scheduled export] /\//: the project and the environment are options: -p shop -e production
[evaluate] *: a user is part of the context: --context '{"targetingKey":"$0"}'
[promote] *: one flag is copied, or --all of them; the environments are options: --from staging --to production
`;
}
