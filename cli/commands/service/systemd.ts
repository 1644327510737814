import { VARIABLES } from "../../session/kept/unit.ts";
import { usage } from "../../session/usage.ts";

/** Program and user of a unit. Paths are absolute. */
export type Service = {
  executable: string;
  /** Arguments of `serve`, without `--data`. */
  args: string[];
  /** Null for a directory of its own in the usual place. */
  data: string | null;
  /** Other files the server reads. */
  files: string[];
  /** Names of files with secrets, by their path: only root may be able to read them. */
  secrets: Record<string, string>;
  /** Other folders the server writes to. */
  folders: string[];
  scope: "system" | "user";
  /** Whether it listens on a port under 1024. */
  usesLowPort: boolean;
  /** Whether it makes large temporary files. */
  usesTemporary: boolean;
  /** Whether it serves HTTPS, so that a hangup makes it read its certificate again. */
  hasTls: boolean;
};

/** The user that a system service runs as, and its data directory, have the same name. */
export const NAME = "formflag";

export const UNIT_NAME = `${NAME}.service`;

/** Place of the executable of a system service, if every user may not run it where it is. */
export const EXECUTABLE = `/usr/local/bin/${NAME}`;

/** Folders of executables that every user may run. */
export const SHARED = /^\/(usr|opt)\//;

/**
 * The unit as the text of a file. Throws `invalid` for an executable that systemd would not run. See
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html
 */
export function unitText(service: Service): string {
  const { executable, args, data, scope, hasTls, secrets, usesTemporary } = service;
  if (/["'\\\u0000-\u001f]/.test(executable)) {
    const hint = `copy it to /usr/local/bin/${NAME}, and print the unit with that one`;
    throw usage(`systemd runs no executable with quotes in its path: ${executable}`, hint);
  }
  const isSystem = scope === "system";
  const usual = isSystem ? `%S/${NAME}` : `%h/.local/share/${NAME}`;
  // The first word is a path, in which systemd expands no variables.
  const command = [
    quoted(executable),
    "serve",
    "--data",
    data === null ? usual : word(data),
    ...args.map((arg) =>
      isSystem && Object.hasOwn(secrets, arg) ? `\${CREDENTIALS_DIRECTORY}/${secrets[arg]}` : word(arg),
    ),
  ];
  return [
    "[Unit]",
    "Description=formflag: form inbox and feature flags",
    "Wants=network-online.target",
    "After=network-online.target",
    "",
    "[Service]",
    "Type=exec",
    ...(isSystem ? [`User=${NAME}`, `Group=${NAME}`] : []),
    ...(isSystem && data === null ? [`StateDirectory=${NAME}`, "StateDirectoryMode=0700"] : []),
    ...(isSystem
      ? [
          `EnvironmentFile=-${VARIABLES}`,
          ...Object.entries(secrets).map(
            ([path, name]) => `LoadCredential=${name}:${path.replaceAll("%", "%%")}`,
          ),
        ]
      : []),
    ...(usesTemporary ? ["# /tmp may be in memory.", "Environment=TMPDIR=/var/tmp"] : []),
    "UMask=0077",
    `ExecStart=${command.join(" ")}`,
    ...(hasTls ? ["# Reads the TLS certificate again.", "ExecReload=/bin/kill -HUP $MAINPID"] : []),
    "KillSignal=SIGTERM",
    "# What is under way when it is told to stop gets 10 seconds, after 5 of draining with a shared database.",
    "TimeoutStopSec=20",
    "Restart=on-failure",
    "RestartSec=2",
    "# An option that is wrong stays wrong.",
    "RestartPreventExitStatus=2",
    "LimitNOFILE=65536",
    "",
    "# The sandbox. MemoryDenyWriteExecute= is left out: the runtime compiles what runs often, and is slow without.",
    ...(isSystem ? systemSandbox(service) : []),
    ...SANDBOX,
    "",
    "[Install]",
    `WantedBy=${isSystem ? "multi-user" : "default"}.target`,
    "",
  ].join("\n");
}

/** Settings that the service manager of a user supports too. */
const SANDBOX = [
  "NoNewPrivileges=yes",
  "LockPersonality=yes",
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
  "RestrictNamespaces=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "SystemCallFilter=~@privileged @resources",
  "# Backups give way to the server.",
  "SystemCallFilter=setpriority",
  "SystemCallErrorNumber=EPERM",
];

/** The folders that the server of a unit writes to, apart from one of its own in the usual place. */
export function writtenFolders({ data, folders }: Service): string[] {
  return [...(data === null ? [] : [data]), ...folders];
}

/** Folders that the sandbox hides, except for the paths that the unit binds. */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)\//;

/** Settings that only the service manager of the system supports. */
function systemSandbox(service: Service): string[] {
  const { executable, files, usesLowPort } = service;
  const hidden = [executable, ...files].filter((path) => HIDDEN.test(path));
  const written = writtenFolders(service);
  const isWrittenHidden = written.some((path) => HIDDEN.test(path));
  const capability = usesLowPort ? "CAP_NET_BIND_SERVICE" : "";
  return [
    "ProtectSystem=strict",
    `ProtectHome=${isWrittenHidden || hidden.length > 0 ? "tmpfs" : "yes"}`,
    "PrivateTmp=yes",
    "PrivateMounts=yes",
    ...hidden.map((path) => `BindReadOnlyPaths=${inQuotes(path)}`),
    ...written.map((path) => `${HIDDEN.test(path) ? "BindPaths" : "ReadWritePaths"}=${inQuotes(path)}`),
    "PrivateDevices=yes",
    "DevicePolicy=closed",
    // A service in a user namespace of its own cannot use ports under 1024.
    ...(usesLowPort ? [] : ["PrivateUsers=yes"]),
    `CapabilityBoundingSet=${capability}`,
    `AmbientCapabilities=${capability}`,
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectProc=invisible",
    "ProcSubset=pid",
    "RemoveIPC=yes",
    "KeyringMode=private",
  ];
}

/** One word of a command line, in which systemd expands specifiers and variables. */
function word(text: string): string {
  return quoted(text).replaceAll("$", "$$$$");
}

/** A text as systemd reads it back: https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html */
function quoted(text: string): string {
  return /^[\w./:@,=+%-]+$/.test(text) ? text.replaceAll("%", "%%") : inQuotes(text);
}

/** A text in quotes, without which a colon would separate the source and target of a bind. */
function inQuotes(text: string): string {
  const escaped = text
    .replaceAll("%", "%%")
    .replaceAll(/[\\"]/g, (character) => `\\${character}`)
    .replaceAll(
      /[\u0000-\u001f\u007f]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
  return `"${escaped}"`;
}
