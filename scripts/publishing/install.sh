#!/bin/sh
# Installs formflag {{version}} for this user: one executable, which needs nothing else.
#
#   FORMFLAG_DOWNLOAD  where the files of the release are{{download-comment}}
#   FORMFLAG_INSTALL   the directory for the executable (default: ~/.local/bin)
#   FORMFLAG_VERSION   another version (default: {{version}})
#
# The archive has to have the checksum in SHA256SUMS, and that file the signature of the release, if it is signed:
# otherwise nothing is installed. Everything is in one function, so that a script that was cut off does nothing.

set -eu

fail() {
  echo "error: $1" >&2
  [ $# -lt 2 ] || echo "hint: $2" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# fetch URL FILE
fetch() {
  if has curl; then
    curl --fail --location --silent --show-error --proto '=https,http,file' --output "$2" "$1" || return 1
  elif has wget; then
    wget -q -O "$2" "$1" || return 1
  else
    fail "neither curl nor wget is installed" "install one of them, or unpack an archive by hand"
  fi
}

checksum() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    fail "no program for checksums is installed" "install sha256sum, shasum or openssl"
  fi
}

platform() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
  esac
  case $system-$machine in
    Linux-x64 | Linux-arm64)
      musl=
      for loader in /lib/ld-musl-*.so.1; do
        [ ! -e "$loader" ] || [ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ] || musl=-musl
      done
      echo "linux-$machine$musl"
      ;;
    Darwin-arm64) echo darwin-arm64 ;;
    *) fail "there is no formflag for $system on $machine" "there are archives for {{platforms}}" ;;
  esac
}

# The signature of the release by its key: Ed25519 over SHA256SUMS.
verify() {
  cat >"$1/key.pem" <<'KEY'
{{key}}
KEY
  grep -q BEGIN "$1/key.pem" || {
    echo "This release is not signed: its checksums alone are verified."
    return 0
  }
  has openssl || fail "openssl is not installed, which verifies the signature" "install it, and run this again"
  fetch "$2/SHA256SUMS.sig" "$1/SHA256SUMS.sig" || fail "the release has no signature" "do not install it: $2"
  openssl pkeyutl -verify -pubin -inkey "$1/key.pem" -rawin -in "$1/SHA256SUMS" -sigfile "$1/SHA256SUMS.sig" \
    >/dev/null 2>&1 || fail "the signature of SHA256SUMS is not one of formflag" "do not install it: $2"
}

main() {
  version=${FORMFLAG_VERSION:-{{version}}}
  from=${FORMFLAG_DOWNLOAD:-{{download}}}
  case $version in
    *[!0-9A-Za-z.-]* | -*) fail "FORMFLAG_VERSION=$version is no version" "it is a number such as {{version}}" ;;
  esac
  [ -n "$from" ] || fail "FORMFLAG_DOWNLOAD is not set" "set it to the address that has SHA256SUMS and the archives"
  from=${from%/}
  [ -n "${FORMFLAG_INSTALL:-}" ] || [ -n "${HOME:-}" ] || fail "HOME is not set" "set FORMFLAG_INSTALL to a directory"
  directory=${FORMFLAG_INSTALL:-${HOME:-}/.local/bin}
  platform=$(platform)
  name=formflag-$version-$platform

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM

  fetch "$from/SHA256SUMS" "$work/SHA256SUMS" || fail "$from/SHA256SUMS could not be fetched" "is the address right?"
  verify "$work" "$from"
  expected=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "the release has no $name.tar.gz" "see $from/SHA256SUMS for what it has"
  echo "Fetching $name.tar.gz"
  fetch "$from/$name.tar.gz" "$work/archive.tar.gz" || fail "$from/$name.tar.gz could not be fetched"
  [ "$(checksum "$work/archive.tar.gz")" = "$expected" ] ||
    fail "$name.tar.gz is not the file that SHA256SUMS names" "try again; if that changes nothing, do not install it"
  tar -xzf "$work/archive.tar.gz" -C "$work" "$name/formflag"
  "$work/$name/formflag" --version >"$work/version" 2>"$work/error" || {
    cat "$work/error" >&2
    fail "the executable does not run on this machine" "on Alpine: apk add libstdc++"
  }
  read -r about <"$work/version"
  mkdir -p "$directory"
  # In place of an older one at once, also while that runs.
  cp "$work/$name/formflag" "$directory/.formflag.$$"
  chmod 755 "$directory/.formflag.$$"
  mv -f "$directory/.formflag.$$" "$directory/formflag"

  echo "Installed $about as $directory/formflag"
  case :${PATH:-}: in
    *":$directory:"*) echo "Next: formflag serve" ;;
    *)
      echo "$directory is not in PATH. Add it, for example in ~/.profile:"
      echo "  export PATH=\"$directory:\$PATH\""
      echo "Next: $directory/formflag serve"
      ;;
  esac
}

main "$@"
