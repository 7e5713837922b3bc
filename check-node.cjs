/**
 * Stops an installation on a Node.js on which it would fail later, in one sentence: npm leaves out the console's native
 * build tool there. Plain old JavaScript, so that an old Node.js gets as far as the message.
 */
var version = process.versions.node.split('.').map(Number);
var isEnough =
  (version[0] === 20 && version[1] >= 19) || (version[0] === 22 && version[1] >= 12) || version[0] > 22;

if (!isEnough) {
  process.stderr.write(
    'tidemark: installing needs Node.js 20.19, 22.12 or newer, and this is ' +
      process.versions.node +
      ': install a newer one from https://nodejs.org, or with "npx node@26" before the command.\n',
  );
  process.exitCode = 1;
}
