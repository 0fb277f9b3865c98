#!/bin/sh
# Builds the image of the Dockerfile by buildah, where its base can be had. It may have 130 MB more than the base.
set -eu
cd "$(dirname "$0")/.."
image=groundwork-ci
base=docker.io/library/$(sed -n 's/^FROM \(node:[^ ]*\)$/\1/p' Dockerfile)

skip() {
  echo "skipped: the image of the Dockerfile: $1"
  exit 0
}

# bytes IMAGE: prints the bytes of all files in an image
bytes() {
  container=$(buildah from "$1")
  du -sb "$(buildah mount "$container")" | cut -f1
  buildah rm "$container" >/dev/null
}

curl -s --max-time 20 --output /dev/null https://docker.io || skip "there is no way to $base"
command -v buildah >/dev/null || apt-get install -qq -y --no-install-recommends buildah || skip 'buildah is missing'
timeout 120 buildah pull --quiet "$base" || skip "$base cannot be had"
buildah build --quiet --tag "$image" .
more=$(($(bytes "$image") - $(bytes "$base")))
echo "the image has $((more / 1000000)) MB more than its base"
[ "$more" -le 130000000 ]
