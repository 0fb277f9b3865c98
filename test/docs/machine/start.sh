#!/bin/sh
# Starts systemd as PID 1 of a machine in namespaces of its own: start.sh PROJECT UNITS OUT
#
# Its files are those of this machine, with changes in memory. PROJECT is at /project, the units of UNITS are started,
# and OUT is at /out. It ends with this process.
set -eu
project=$1 units=$2 out=$3

if [ "${MACHINE:-}" != inside ]; then
  name=groundwork-test-$$
  for hierarchy in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do
    folder=$(dirname "$hierarchy")
    case $folder in */*.slice | */*.scope | */groundwork-test-*) continue ;; esac
    mkdir "$folder/$name" 2>/dev/null || continue
    for file in cpuset.cpus cpuset.mems; do
      [ ! -f "$folder/$name/$file" ] || cat "$folder/$file" >"$folder/$name/$file" 2>/dev/null || true
    done
    echo $$ >"$folder/$name/cgroup.procs" 2>/dev/null || rmdir "$folder/$name"
  done
  MACHINE=inside exec unshare --mount --pid --fork --kill-child --net --uts --ipc --cgroup sh "$0" "$@"
fi

root=$(mktemp -d)
mount -t tmpfs tmpfs "$root"
mkdir "$root/upper" "$root/work" "$root/all"
mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/all"
cd "$root/all"
mkdir -p project out
mount --rbind /dev dev
mount --rbind /sys sys
mount -t proc proc proc
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs tmpfs home
mkdir -p tmp run/lock run/systemd/system
chmod 1777 tmp
mount --bind "$project" project
mount --bind "$out" out
# nothing of this machine is started
rm -rf etc/systemd/system/*.wants lib/systemd/system/*.wants etc/machine-id
: >etc/machine-id
cp "$units"/* run/systemd/system/
mkdir -p run/systemd/system/machine.target.wants
for unit in systemd-journald.service systemd-journald.socket systemd-journald-dev-log.socket; do
  ln -s "/lib/systemd/system/$unit" "run/systemd/system/machine.target.wants/$unit"
done
for unit in "$units"/*.service; do
  ln -s "../$(basename "$unit")" run/systemd/system/machine.target.wants/
done
printf '[Unit]\nDescription=machine\nDefaultDependencies=no\nAllowIsolate=yes\n' >run/systemd/system/machine.target
ip link set lo up 2>/dev/null || true
mkdir -p run/before
pivot_root . run/before # not chroot, in which the kernel makes no user namespaces
cd /
umount -l /run/before
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin container=other \
  /lib/systemd/systemd --system --unit=machine.target --log-target=console --show-status=no
