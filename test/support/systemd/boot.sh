#!/bin/bash
# Boots systemd in namespaces of its own, on a copy of this machine's files: boot.sh <directory> <executable>
# Nothing that is written there, not even to /tmp or /proc/sys, reaches the machine. It ends with this process.
set -euo pipefail

# A group of its own: systemd takes the group that it finds itself in as the root of all.
if [ "${3-}" = "" ]; then
  mount --make-rprivate /
  mount -t tmpfs tmpfs "$1"
  mkdir "$1"/{groups,upper,work,root}
  mount -t cgroup2 cgroup2 "$1/groups"
  group="$1/groups/formflag-test-$$"
  mkdir "$group"
  echo 0 > "$group/cgroup.procs"
  exec unshare --mount --pid --fork --kill-child --cgroup --ipc --uts -- "$0" "$1" "$2" inside
fi

mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
for folder in run tmp var/tmp dev; do mount -t tmpfs tmpfs "$folder"; done
mount -t proc proc proc
mount --bind -o ro proc/sys proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mkdir dev/{pts,shm,mqueue}
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
touch srv/formflag
mount --bind "$2" srv/formflag

# Of what a machine starts, only what the unit needs: no other unit of this machine.
rm -rf etc/systemd/system
mkdir -p etc/systemd/system
for unit in usr/lib/systemd/system/sysinit.target.wants/* usr/lib/systemd/system/sockets.target.wants/*; do
  name=${unit##*/}
  case $name in
    systemd-journald*) ;;
    *) ln -s /dev/null "etc/systemd/system/$name" ;;
  esac
done

mkdir -p mnt
pivot_root . mnt
umount --lazy mnt
# As systemd has it outside of a container: what it mounts for the credentials of a unit is seen by the unit.
mount --make-rshared /
exec env -i container=formflag PATH="$PATH" /lib/systemd/systemd --unit=basic.target --show-status=no --log-target=console
