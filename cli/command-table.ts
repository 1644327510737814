import type { Command } from "commander";
import type { Io } from "./output/terminal.ts";

/** Declares the arguments, options, help and subcommands of a command; `args` is the command line, if there is one. */
type Declare = (command: Command, io: Io, args: readonly string[]) => void | Promise<void>;

/** Every command with its loader: a call loads only its own command, and help needs the summaries alone. */
export const COMMANDS: Record<string, [summary: string, load: () => Promise<Declare>]> = {
  serve: [
    "serve forms, flags, the dashboard and the admin API",
    async () => (await import("./commands/serve.ts")).addServeCommand,
  ],
  demo: ["try formflag with example data", async () => (await import("./commands/demo.ts")).addDemoCommand],
  status: [
    "show the server, its data and its last backup",
    async () => (await import("./commands/status.ts")).addStatusCommand,
  ],
  today: [
    "list what needs you, and what happens by itself",
    async () => (await import("./commands/overview/today.ts")).addTodayCommand,
  ],
  projects: [
    "manage projects, which hold flags and environments",
    async () => (await import("./commands/projects.ts")).addProjectCommands,
  ],
  environments: [
    "manage the environments of a project",
    async () => (await import("./commands/environments.ts")).addEnvironmentCommands,
  ],
  flags: ["manage feature flags", async () => (await import("./commands/flags/flags.ts")).addFlagCommands],
  changes: [
    "review and apply changes that were proposed",
    async () => (await import("./commands/changes/changes.ts")).addChangeCommands,
  ],
  segments: [
    "manage rules that the flags of an environment share",
    async () => (await import("./commands/segments.ts")).addSegmentCommands,
  ],
  contexts: [
    "manage test contexts, for which the dashboard evaluates the flags of a project",
    async () => (await import("./commands/contexts.ts")).addContextCommands,
  ],
  experiments: [
    "compare the variants of a flag by what visitors do",
    async () => (await import("./commands/experiments/experiments.ts")).addExperimentCommands,
  ],
  forms: [
    "manage forms and what they accept",
    async () => (await import("./commands/forms/forms.ts")).addFormCommands,
  ],
  feeds: [
    "manage feeds, which are addresses for reading the submissions of a form",
    async () => (await import("./commands/feeds.ts")).addFeedCommands,
  ],
  targets: [
    "send submissions and changes to webhooks, chats and mail",
    async () => (await import("./commands/targets/targets.ts")).addTargetCommands,
  ],
  submissions: [
    "read, search, mark, export and delete submissions",
    async () => (await import("./commands/submissions/submissions.ts")).addSubmissionCommands,
  ],
  deliveries: [
    "show the deliveries of submissions and notices, and retry them",
    async () => (await import("./commands/deliveries.ts")).addDeliveryCommands,
  ],
  stats: [
    "count submissions by form and day, and reads of flags",
    async () => (await import("./commands/stats.ts")).addStatsCommand,
  ],
  mail: [
    "check that the server can send mail",
    async () => (await import("./commands/mail.ts")).addMailCommands,
  ],
  history: [
    "list the changes of every project and form, with their author and time",
    async () => (await import("./commands/change-history.ts")).addWholeHistoryCommand,
  ],
  export: [
    "write projects, flags and forms as a file, for apply",
    async () => (await import("./commands/documents/export.ts")).addExportCommand,
  ],
  diff: [
    "show what applying a file would change",
    async () => (await import("./commands/documents/apply.ts")).addDiffCommand,
  ],
  apply: [
    "change flags and forms to what a file describes",
    async () => (await import("./commands/documents/apply.ts")).addApplyCommand,
  ],
  mcp: [
    "serve tools for an assistant over standard input and output (MCP)",
    async () => (await import("./commands/mcp.ts")).addMcpCommand,
  ],
  tokens: [
    "manage tokens for the admin API",
    async () => (await import("./commands/tokens.ts")).addTokenCommands,
  ],
  users: [
    "manage users of the dashboard, print sign-in links",
    async () => (await import("./commands/users.ts")).addUserCommands,
  ],
  members: [
    "manage the members of a project, and invite people",
    async () => (await import("./commands/members.ts")).addMemberCommands,
  ],
  whoami: [
    "show your name, your rights, and where they apply",
    async () => (await import("./commands/whoami.ts")).addWhoamiCommand,
  ],
  sessions: [
    "list the browsers that are signed in to the dashboard, and sign them out",
    async () => (await import("./commands/sessions.ts")).addSessionCommands,
  ],
  grants: [
    "list the assistants that people have signed in, and end their access",
    async () => (await import("./commands/grants.ts")).addGrantCommands,
  ],
  use: [
    "keep a project and an environment for later commands",
    async () => (await import("./commands/use.ts")).addUseCommand,
  ],
  login: [
    "log in to a server, approved in its dashboard",
    async () => (await import("./commands/login.ts")).addLoginCommand,
  ],
  logout: ["end the login on a server", async () => (await import("./commands/login.ts")).addLogoutCommand],
  audit: [
    "list, export and verify the audit log",
    async () => (await import("./commands/audit.ts")).addAuditCommands,
  ],
  check: [
    "check that all stored data is complete and undamaged",
    async () => (await import("./commands/check.ts")).addCheckCommand,
  ],
  doctor: [
    "check a machine and its settings for problems",
    async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  ],
  healthcheck: [
    "check that a server is healthy",
    async () => (await import("./commands/healthcheck.ts")).addHealthcheckCommand,
  ],
  service: [
    "run the server as a systemd service",
    async () => (await import("./commands/service/service.ts")).addServiceCommands,
  ],
  backup: [
    "create, verify and restore backups",
    async () => (await import("./commands/backup/backup.ts")).addBackupCommands,
  ],
  migrate: [
    "move all stored data into a PostgreSQL database and a bucket",
    async () => (await import("./commands/migrate.ts")).addMigrateCommand,
  ],
  upgrade: [
    "replace this executable with a newer release",
    async () => (await import("./commands/upgrade/upgrade.ts")).addUpgradeCommand,
  ],
  config: [
    "show the settings in effect",
    async () => (await import("./commands/config.ts")).addConfigCommands,
  ],
  docs: [
    "show the documentation of this version",
    async () => (await import("./commands/docs/docs.ts")).addDocsCommand,
  ],
  completion: [
    "print a script that completes commands in a shell",
    async () => (await import("./commands/completion/completion.ts")).addCompletionCommand,
  ],
};
