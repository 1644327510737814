const HTTP = "the server describes its API at /openapi.json; docs/http.md has it by example";
const SPAM =
  "formflag forms set <form> --challenge on, --block-sender <address> and --spam-word <word> keep spam away";
const SEGMENTS =
  "formflag segments set <segment> -p <project> -e <environment> --if 'plan == pro' names a group of users";
const VARIANT_SHARES = `formflag flags set <flag> --on --rollout 10 is for a share of the users, --variants '{"red":"#f00","blue":"#00f"}' for several values`;
const FIRST = "nothing has to be set up: type formflag serve, or formflag projects create <project>";
const SIGN_IN = "users sign in to the dashboard: docs/dashboard.md describes how, and their roles";
const RIGHTS =
  "formflag users set <name> --role <role> says what a user may do, formflag tokens create <name> --scope flags:read what a token may";
const IN_USE =
  "-p names the project of a command, or FORMFLAG_PROJECT and FORMFLAG_ENVIRONMENT those of all commands";

/** Words of other tools, and what formflag has in their place. */
export const FOREIGN_WORDS: Record<string, string> = {
  "cron cronjob schedule scheduled timer at later":
    "formflag flags set <flag> --on --at <time> schedules a change, formflag flags scheduled lists them",
  "queue queues job jobs worker workers retry resend redeliver replay dead-letter dlq":
    "formflag deliveries list shows what is sent, formflag deliveries retry <id> sends it again",
  "cache clean cleanup prune gc vacuum optimize reindex index":
    "nothing has to be cleaned up: formflag forms set <form> --retention 90d deletes old submissions",
  "reset wipe nuke factory-reset purge-all truncate":
    "stop the server and move its data directory away: formflag serve begins with a new one",
  "seed fixtures example examples sample playground":
    "formflag demo serves example data; formflag apply <file> creates projects, flags and forms",
  "schema schemas validation field fields":
    "formflag forms set <form> --schema @schema.json checks fields; formflag apply --schema prints the schema of a file",
  "generate gen codegen types typegen":
    "formflag flags manifest writes the flags of a project for the code generator of OpenFeature: docs/sdks.md",
  "sdk sdks client clients":
    "docs/sdks.md reads flags in seven languages; the server describes its API at /openapi.json",
  "api openapi swagger graphql rest http spec request requests curl stream sse": HTTP,
  "scale cluster replica replicas": "docs/scale-out.md describes several servers on one PostgreSQL database",
  "relay proxy edge nginx caddy traefik docker compose k8s kubernetes kubectl helm":
    "docs/reverse-proxy.md, docs/docker.md and docs/scale-out.md describe a server behind, in and beside others",
  "listen host hosts port domain domains dns url":
    "formflag serve --listen 127.0.0.1:9000 names the address, --public-url the one that senders see",
  "ssl tls https cert certs certificate letsencrypt acme":
    "formflag serve --tls-cert <file> --tls-key <file> serves HTTPS; docs/reverse-proxy.md leaves it to a proxy",
  "watch tail monitor metrics prometheus top":
    "formflag status shows the server, formflag stats counts, /metrics is for Prometheus: docs/http.md",
  "usage analytics telemetry report reports chart charts funnel insights":
    "formflag stats counts submissions and reads of flags; nothing is sent anywhere",
  "quota quotas limit limits billing pricing": "docs/limits.md lists every limit; there is nothing to pay",
  "feedback ratings reviews": "type formflag flags feedback list <flag> -p <project>",
  "support bug issue": "CONTRIBUTING.md and SECURITY.md say where to write",
  "plugin plugins extension extensions marketplace theme themes template templates":
    "there are no plugins: formflag targets add <form> <url> sends submissions on, and the API does the rest",
  "app apps application applications site sites":
    "applications read the flags of a project: formflag projects create <project>; a site posts to a form: formflag forms create <form>",
  "service-account bot ci": "type formflag tokens create <name> --scope flags:write -p <project>",
  "release releases publish":
    "formflag flags promote <flag> -p <project> --from staging --to production copies a flag",
  "snapshot snapshots archive archives":
    "type formflag backup create -o <file>, or formflag export for flags and forms",
  "trash bin recycle":
    "what was deleted is in no trash: formflag flags undo <flag> brings a flag back, a backup everything",
  "file files attachment attachments upload uploads download downloads":
    "formflag submissions get <id> lists files, formflag submissions download <id> saves one, formflag forms set <form> --uploads on accepts them",
  "tag tags":
    "formflag flags set <flag> --tag <tag> tags a flag, formflag submissions label <id> <label> labels a submission",
  "label labels": "type formflag submissions label <id> <label>",
  "comment comments note notes": "type formflag submissions note <id> <text>; a change has a --why",
  assign: "type formflag submissions assign <id> <user>",
  reply: "type formflag submissions reply <id> <text>",
  "subscribe unsubscribe newsletter campaign":
    "formflag forms set <form> --notify <address> mails each submission",
  "captcha recaptcha hcaptcha turnstile block blocklist ban allow allowlist whitelist": SPAM,
  "cors origin origins":
    "formflag forms set <form> --allow-origin <url> names the sites whose pages may post",
  "redirect thanks":
    "formflag forms set <form> --success-url <url> is where a sender goes after a submission",
  "snippet embed widget iframe react vue html js": "type formflag forms snippet <form>",
  "submit post test try send":
    "formflag forms test <form> stores a submission; a page posts to the address that formflag forms get <form> shows",
  "quickstart tutorial guide welcome hello getting-started":
    "type formflag help: its end has the first steps; README.md goes through them",
  "bootstrap onboard provision scaffold": FIRST,
  "use switch select current active profile profiles": IN_USE,
  "config-file env-file dotenv default defaults environment-variables":
    "formflag config show lists the settings and their variables; there is no file of settings",
  "rotate rekey":
    "formflag targets rotate <id> replaces the secret of a target; a token is replaced by another",
  "encrypt decrypt vault": "SECURITY.md describes what is protected from whom",
  "mfa 2fa totp passkey passkeys sso oidc saml ldap scim password passwords": SIGN_IN,
  "group groups org orgs organization organizations tenant tenants":
    "a project has flags and environments of its own: formflag projects create <project>; users have roles",
  "permission permissions acl policy policies rbac scope scopes grant": RIGHTS,
  revoke: "formflag tokens revoke <name> ends a token, formflag sessions revoke <id> signs a browser out",
  "impersonate sudo": "type formflag users link <name>",
  "shell repl sql query psql sqlite db database databases table tables":
    "formflag submissions export and formflag export write what is stored; docs/running.md describes the database",
  "analyze repair fix heal recover diagnose troubleshoot":
    "formflag doctor and formflag check find what is wrong, formflag backup restore brings back what was lost",
  "debug trace": "formflag serve --log-level debug logs more",
  "bench benchmark stress load": "docs/benchmark.md has figures, and how they are measured",
  "changelog news whatsnew credits license": "CHANGELOG.md lists the changes, LICENSE is MIT",
  uninstall: "formflag service uninstall removes the service; the data directory stays",
  "freeze lock unlock protect": "type formflag environments lock <environment> -p <project>",
  "maintenance pause resume":
    "formflag forms disable <form> refuses submissions, formflag flags disable <flag> turns a flag off",
  "kill-switch killswitch": "type formflag flags disable <flag> -p <project> -e <environment>",
  "canary blue-green abtest ab-test split bucketing gradual": VARIANT_SHARES,
  "override overrides": "formflag flags set <flag> --if 'targetingKey == ann' --then on is for one user",
  "cohort cohorts audience audiences identify": SEGMENTS,
};
