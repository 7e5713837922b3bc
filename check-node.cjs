/**
 * Stops an installation on a Node.js on which it would fail later, in one sentence: npm leaves out the console's native
 * build tool there. Plain old JavaScript, so that an old Node.js gets as far as the message.
 */
// npm runs this with the Node.js of node_modules/.bin, and names the one that it runs on itself.
var agent = /\bnode\/v(\d+\.\d+\.\d+)/.exec(process.env.npm_config_user_agent || '');
var running = agent ? agent[1] : process.versions.node;
var version = running.split('.').map(Number);
var isEnough =
  (version[0] === 20 && version[1] >= 19) || (version[0] === 22 && version[1] >= 12) || version[0] > 22;

if (!isEnough) {
  process.stderr.write(
    'tidemark: installing needs Node.js 20.19, 22.12 or newer, and this is ' +
      running +
      ': install a newer one from https://nodejs.org, or run: npx -p node@26 -c "npm ci"\n',
  );
  process.exitCode = 1;
}
