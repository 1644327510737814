import type { Command } from "commander";
import type { Io } from "./output/terminal.ts";

/** Declares the arguments, options, help and subcommands of a command; `args` is the command line, if there is one. */
type Declare = (command: Command, io: Io, args: readonly string[]) => void | Promise<void>;

/** Every command with its loader: a call loads only its own command, and help needs the summaries alone. */
export const COMMANDS: { name: string; summary: string; load: () => Promise<Declare> }[] = [
  {
    name: "serve",
    summary: "serve form submissions, feature flags and the admin API",
    load: async () => (await import("./commands/serve.ts")).addServeCommand,
  },
  {
    name: "demo",
    summary: "try formflag with example data, which is removed at the end",
    load: async () => (await import("./commands/demo.ts")).addDemoCommand,
  },
  {
    name: "status",
    summary: "show the server, its data, its waiting deliveries and its last backup",
    load: async () => (await import("./commands/status.ts")).addStatusCommand,
  },
  {
    name: "projects",
    summary: "manage projects, which hold flags and environments",
    load: async () => (await import("./commands/projects.ts")).addProjectCommands,
  },
  {
    name: "environments",
    summary: "manage the environments of a project",
    load: async () => (await import("./commands/environments.ts")).addEnvironmentCommands,
  },
  {
    name: "flags",
    summary: "manage feature flags",
    load: async () => (await import("./commands/flags/flags.ts")).addFlagCommands,
  },
  {
    name: "changes",
    summary: "review and apply changes that were proposed",
    load: async () => (await import("./commands/changes/changes.ts")).addChangeCommands,
  },
  {
    name: "segments",
    summary: "manage rules that the flags of an environment share",
    load: async () => (await import("./commands/segments.ts")).addSegmentCommands,
  },
  {
    name: "contexts",
    summary: "manage test contexts, for which the dashboard evaluates the flags of a project",
    load: async () => (await import("./commands/contexts.ts")).addContextCommands,
  },
  {
    name: "experiments",
    summary: "compare the variants of a flag by what visitors do",
    load: async () => (await import("./commands/experiments/experiments.ts")).addExperimentCommands,
  },
  {
    name: "forms",
    summary: "manage forms and what they accept",
    load: async () => (await import("./commands/forms/forms.ts")).addFormCommands,
  },
  {
    name: "feeds",
    summary: "manage feeds, which are addresses for reading the submissions of a form",
    load: async () => (await import("./commands/feeds.ts")).addFeedCommands,
  },
  {
    name: "targets",
    summary: "manage targets, to which submissions of a form and changes of a project are sent",
    load: async () => (await import("./commands/targets/targets.ts")).addTargetCommands,
  },
  {
    name: "submissions",
    summary: "read, search, mark, export and delete submissions",
    load: async () => (await import("./commands/submissions/submissions.ts")).addSubmissionCommands,
  },
  {
    name: "deliveries",
    summary: "show the deliveries of submissions and notices, and retry them",
    load: async () => (await import("./commands/deliveries.ts")).addDeliveryCommands,
  },
  {
    name: "stats",
    summary: "count submissions by form and day, and reads of flags",
    load: async () => (await import("./commands/stats.ts")).addStatsCommand,
  },
  {
    name: "mail",
    summary: "check that the server can send mail",
    load: async () => (await import("./commands/mail.ts")).addMailCommands,
  },
  {
    name: "history",
    summary: "list the changes of every project and form, with their author and time",
    load: async () => (await import("./commands/change-history.ts")).addWholeHistoryCommand,
  },
  {
    name: "export",
    summary: "write projects, flags and forms as a file, for apply",
    load: async () => (await import("./commands/documents/export.ts")).addExportCommand,
  },
  {
    name: "diff",
    summary: "show what applying a file would change",
    load: async () => (await import("./commands/documents/apply.ts")).addDiffCommand,
  },
  {
    name: "apply",
    summary: "change flags and forms to what a file describes",
    load: async () => (await import("./commands/documents/apply.ts")).addApplyCommand,
  },
  {
    name: "mcp",
    summary: "serve tools for an assistant over standard input and output (MCP)",
    load: async () => (await import("./commands/mcp.ts")).addMcpCommand,
  },
  {
    name: "tokens",
    summary: "manage tokens for the admin API, which commands with --server use",
    load: async () => (await import("./commands/tokens.ts")).addTokenCommands,
  },
  {
    name: "users",
    summary: "manage users of the dashboard, and print sign-in links",
    load: async () => (await import("./commands/users.ts")).addUserCommands,
  },
  {
    name: "members",
    summary: "manage the members of a project, and invite people",
    load: async () => (await import("./commands/members.ts")).addMemberCommands,
  },
  {
    name: "whoami",
    summary: "show your name, your rights, and where they apply",
    load: async () => (await import("./commands/whoami.ts")).addWhoamiCommand,
  },
  {
    name: "sessions",
    summary: "list the browsers that are signed in to the dashboard, and sign them out",
    load: async () => (await import("./commands/sessions.ts")).addSessionCommands,
  },
  {
    name: "login",
    summary: "log in to a server, approved in its dashboard",
    load: async () => (await import("./commands/login.ts")).addLoginCommand,
  },
  {
    name: "logout",
    summary: "end the login on a server",
    load: async () => (await import("./commands/login.ts")).addLogoutCommand,
  },
  {
    name: "audit",
    summary: "list, export and verify the audit log",
    load: async () => (await import("./commands/audit.ts")).addAuditCommands,
  },
  {
    name: "check",
    summary: "check that all stored data is complete and undamaged",
    load: async () => (await import("./commands/check.ts")).addCheckCommand,
  },
  {
    name: "doctor",
    summary: "check a machine and its settings for problems",
    load: async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  },
  {
    name: "healthcheck",
    summary: "check that a server is healthy",
    load: async () => (await import("./commands/healthcheck.ts")).addHealthcheckCommand,
  },
  {
    name: "service",
    summary: "run the server as a systemd service",
    load: async () => (await import("./commands/service/service.ts")).addServiceCommands,
  },
  {
    name: "backup",
    summary: "create, verify and restore backups of all stored data",
    load: async () => (await import("./commands/backup/backup.ts")).addBackupCommands,
  },
  {
    name: "migrate",
    summary: "move all stored data into a PostgreSQL database and a bucket",
    load: async () => (await import("./commands/migrate.ts")).addMigrateCommand,
  },
  {
    name: "upgrade",
    summary: "replace this executable with a newer release",
    load: async () => (await import("./commands/upgrade/upgrade.ts")).addUpgradeCommand,
  },
  {
    name: "config",
    summary: "show the settings in effect",
    load: async () => (await import("./commands/config.ts")).addConfigCommands,
  },
  {
    name: "completion",
    summary: "print a script that completes commands in a shell",
    load: async () => (await import("./commands/completion/completion.ts")).addCompletionCommand,
  },
];
