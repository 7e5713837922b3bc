#!/bin/sh
# /usr/bin/tidemark: the command with the settings of this machine and the Node.js that it was installed with.
if [ -r /etc/default/tidemark ]; then
  set -a
  . /etc/default/tidemark
  set +a
fi
exec /usr/lib/tidemark/bin/node /usr/lib/tidemark/server/bin/tidemark.js "$@"
