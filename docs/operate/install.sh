#!/bin/sh
# Lays the program out as Debian does, or replaces an older one: run it as root in a clone, after `npm ci`. DESTDIR puts
# everything below another directory, to make a package of it. Settings and data are never touched. See docs/install.md.
set -eu
cd "$(dirname "$0")/../.."
root="${DESTDIR:-}"
program="$root/usr/lib/tidemark"

npm run build

# The new program is made whole beside the old one, then takes its place.
rm -rf "$program.new"
for path in package.json package-lock.json .npmrc server/package.json client/package.json console/package.json manual/package.json mcp/package.json; do
  install -D -m 644 "$path" "$program.new/$path"
done
cp -R server/bin server/dist "$program.new/server/"
install -D -m 755 node_modules/node/bin/node "$program.new/bin/node"
(cd "$program.new" && npm ci --ignore-scripts --omit=dev --workspace=server --no-audit --no-fund)
chmod -R u=rwX,go=rX "$program.new"
rm -rf "$program.old"
if [ -d "$program" ]; then mv "$program" "$program.old"; fi
mv "$program.new" "$program"

install -D -m 755 docs/operate/tidemark.sh "$root/usr/bin/tidemark"
install -D -m 644 docs/operate/tidemark.service "$root/usr/lib/systemd/system/tidemark.service"
install -D -m 644 docs/operate/tidemark.sysusers "$root/usr/lib/sysusers.d/tidemark.conf"

# What an administrator may have changed stays.
if [ ! -e "$root/etc/default/tidemark" ]; then
  install -D -m 644 docs/operate/tidemark.default "$root/etc/default/tidemark"
fi
if [ ! -e "$root/etc/tidemark/tidemark.json" ]; then
  install -d -m 755 "$root/etc/tidemark"
  echo '{}' > "$root/etc/tidemark/tidemark.json"
fi
echo "installed; now: systemd-sysusers && systemctl daemon-reload && systemctl enable --now tidemark"
