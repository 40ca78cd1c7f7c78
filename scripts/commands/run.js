/**
 * Entry point of every `npm run` command. Written in plain JavaScript, so that an old Node reports
 * what is missing instead of a stack trace. `--help` only prints the purpose of a command.
 */
import { spawnSync } from 'node:child_process';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR = 24;
const MONGODB = 'MONGODB_URL names a server on which it may create and drop databases.';

const PURE_TESTS = [
  'test/house.test.ts',
  'test/prose.test.ts',
  'test/log-events.test.ts',
  'test/actors/domain/*.test.ts',
  'test/actors/*/behaviour/*.test.ts',
  'test/runtime/actor-system/*.test.ts',
  'test/runtime/placement/*.test.ts',
  'test/runtime/testing/*.test.ts',
]
  .map((files) => `"${files}"`)
  .join(' ');

/** A command is either a file, which prints its own help if `own` is set, or a shell command. */
const COMMANDS = {
  build: {
    file: '../build/main.ts',
    help: 'Build dist/, which npm start runs: the gateway in one file, and the console. npm ci does so too. --tests adds the gateways that tests kill.',
  },
  dev: {
    file: './start.ts',
    help: 'Start the gateway from its sources, without a build: one node, until Ctrl-C. The console is compiled when it is first opened.',
  },
  start: {
    built: 'gateway',
    help: 'Start the gateway that was built: one node, until Ctrl-C. It is configured by environment variables and cluster.config.json (docs/configuration.md).',
  },
  sandbox: {
    file: './sandbox.ts',
    help: 'Start the sandbox phone network in a separate process, until Ctrl-C. SANDBOX_PORT chooses the port (9090; 0: any free one).',
  },
  tour: {
    file: './tour.ts',
    help: 'Run a guided tour of a running gateway on the sandbox network. GATEWAY_URL is its address (http://127.0.0.1:8080).',
  },
  'demo:store': {
    file: './store-demo.ts',
    help: 'Simulate an order in a connected store, from cart to delivery, against a running gateway on the sandbox network. GATEWAY_URL is its address (http://127.0.0.1:8080).',
  },
  'console:pictures': {
    file: './console-pictures.ts',
    help: 'Take screenshots of the browser console of a new gateway on the sandbox network, for docs/pictures. GATEWAY_URL is its address (http://127.0.0.1:8080); CHROMIUM is the browser (/usr/bin/chromium).',
  },
  client: {
    file: '../client/generate/main.ts',
    help: 'Generate the types of the client in scripts/client and the operations of the n8n node again, from the OpenAPI document of a running gateway with default settings. GATEWAY_URL is its address (http://127.0.0.1:8080).',
  },
  'openapi:check': {
    file: '../openapi-tools/check.ts',
    help: 'Lint the OpenAPI document of a running gateway with redocly and spectral, generate clients with three generators, and compile them. Installs these tools next to the script (195 MB). GATEWAY_URL is its address (http://127.0.0.1:8080).',
  },
  size: { file: './size.ts', help: 'Print the lines of code in each part of the source tree. `-- --files` lists the files.' },
  sbom: {
    command: 'npm sbom --sbom-format cyclonedx --omit dev --package-lock-only',
    help: 'Print the software bill of materials (CycloneDX) of what a gateway installs.',
  },
  pack: {
    file: './pack.ts',
    help: 'Pack the clients, the n8n node, the Helm chart and the extension, with a bill of materials and a statement of provenance: npm run pack [-- --to <empty folder> --only client,n8n,python,chart,extension].',
  },
  'openapi:keep': {
    file: '../openapi-tools/keep-release.ts',
    help: 'Store the OpenAPI document of a running gateway as that of a release; a test compares later versions with it. GATEWAY_URL is its address (http://127.0.0.1:8080).',
  },
  cluster: { file: './cluster.ts', own: true },
  'cluster:demo': { file: '../demo/main.ts', own: true },
  bench: {
    file: '../bench/main.ts',
    help: 'Measure the gateway and compare it with bare libraries: npm run bench [-- --only <part>,<part>…]. Takes a long time. MONGODB_URL adds that store.',
  },
  faults: {
    file: '../faults/main.ts',
    help: `Kill a gateway at each step of a message and check that nothing is lost or duplicated. ${MONGODB}`,
  },
  'faults:analytics': {
    file: '../faults/analytics/main.ts',
    help: `Kill a device 200 times at its writes, across a daylight-saving change, and compare every figure of analytics with the log in four time zones. DEATHS and SEED change that. ${MONGODB}`,
  },
  'faults:audit': {
    file: '../faults/audit.ts',
    help: `Kill a gateway 200 times between acts and their audit entries, and check that no entry is missing or duplicated. KILLS and SEED change that. ${MONGODB}`,
  },
  'faults:billing': {
    file: '../faults/billing/main.ts',
    help: `Simulate a year in which 300 tenants buy, pay, upgrade, cancel and ask for refunds while processes are killed, on a virtual clock, and check every bill. TENANTS, DAYS and SEED change that. ${MONGODB}`,
  },
  'faults:payments': {
    file: '../faults/billing/payments.ts',
    help: `Kill a gateway before and after each write of a payment, from the order to the receipt, and check that each has one effect. KILLS and FROM change that. ${MONGODB}`,
  },
  'faults:privacy': {
    file: '../faults/privacy/main.ts',
    help: `Kill a gateway 50 times while it erases people, and search all remaining bytes for their data. KILLS changes that. ${MONGODB}`,
  },
  operator: {
    file: './operator.ts',
    help: "npm run operator -- reset-2fa: turn off the operators' second factor. Run it with the environment of a node; with an embedded store, stop the node first.",
  },
  'audit:verify': {
    file: './audit-verify.ts',
    help: 'Check every audit log in the store, or an exported file; --heads FILE: also against the heads in the log of a node. Run it with the environment of a node; with an embedded store, stop the node first. The exit code is the sum of what was found: 1 changed entries, 4 a log cut or missing, 8 unreadable entries, 16 a log without its account; 2: not checked.',
  },
  'faults:import': {
    file: '../faults/imports.ts',
    help: `Import 30,000 contacts while the gateway is killed 20 times. ROWS, KILLS and SEED change that. ${MONGODB}`,
  },
  'faults:limits': {
    file: '../chaos/limits/main.ts',
    help: `Send 10,000 calls to three nodes against one limit. TRIES and SEED change that. ${MONGODB}`,
  },
  'faults:shares': {
    file: '../bench/shares/main.ts',
    help: 'Flood each shared pool with the requests of one tenant, and print how much longer another tenant waits because of it. ASKS, COPIES and POOL change that; MONGODB_URL names another store.',
  },
  'faults:webhooks': {
    file: '../faults/webhooks.ts',
    help: `Deliver 20,000 events to a bad receiver while the gateway is killed 10 times. EVENTS, KILLS and SEED change that. ${MONGODB}`,
  },
  'faults:stores': {
    file: '../faults/stores/main.ts',
    help: `Simulate 1,000 customers of two online stores while nodes are killed, and check what their phones show. CUSTOMERS, KILLS and SEED change that. ${MONGODB}`,
  },
  'webhook-verify': { file: './webhook-verify.ts', own: true },
  'secrets:reseal': {
    file: './reseal.ts',
    help: 'Seal all secrets in the store with SECRETS_KEY. Run it with the environment of a node; with an embedded store, stop the node first.',
  },
  chaos: {
    file: '../chaos/main.ts',
    help: `Run three nodes under load while processes die and links break: --seconds N, --seed N, --devices N, --rate N, --figures. ${MONGODB}`,
  },
  'chaos:campaign': {
    file: '../chaos/campaign.ts',
    help: `Run a campaign on three nodes while one of them is killed every few seconds: --recipients N, --kills N, --seed N. ${MONGODB}`,
  },
  endurance: {
    file: '../endurance/main.ts',
    help: `Run three nodes for hours on both networks under load, kills, stalls, drains and broken links, and check that nothing is lost, duplicated or leaked: --minutes N, --rate N, --devices N, --seed N, --report FILE, --samples FILE. ${MONGODB}`,
  },
  simulate: { file: '../../test/simulation/main.ts', own: true },
  capacity: { file: '../../test/simulation/scale/main.ts', own: true },
  licences: { file: '../licences/main.ts', help: 'Check that all packages of the lock file have an allowed licence.' },
  format: { command: 'biome check --write .', help: 'Format all files and fix what the linter can fix.' },
  lint: { command: 'biome check --error-on-warnings .', help: 'Check format and lint rules.' },
  types: { command: 'tsc && tsc -p http/console/app', help: 'Check all types: the program, and what the browser runs.' },
  test: {
    file: './test.ts',
    builds: true,
    help: 'Run all tests, or the named files, and list the slowest files. MONGODB_URL adds the tests on that server, redis-server the tests on Redis.',
  },
  'check:night': {
    file: './night.ts',
    help: `Attack a node with generated hostile input on every surface and check the CPU of each event-loop tick, its memory, and that it stays alive. Takes hours, and lists what it skips. PARTS, STORES, SIZE and SEED make it shorter or repeat it. ${MONGODB}`,
  },
  'check:fast': {
    command: `npm run lint && npm run types && node --test --test-concurrency=2 ${PURE_TESTS}`,
    help: 'Check lint, types and the rules of the source tree, and run the tests of pure code: a quick check before a commit. `npm run check` runs everything.',
  },
  check: {
    file: './check.ts',
    help: 'Lint, licences, types and tests: all of them must pass before a change is accepted. Types are checked while the tests run.',
  },
};

async function main([name, ...rest]) {
  const command = COMMANDS[name];
  if (!command)
    return fail(
      `${name === undefined ? 'Name a command.' : `Unknown command ${name}.`} The commands are: ${Object.keys(COMMANDS).join(', ')}.`,
    );
  if (!command.own && rest.some((word) => word === '--help' || word === '-h'))
    return void process.stdout.write(`npm run ${name}\n${command.help}\n`);
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR)
    return fail(
      `The gateway needs Node ${NODE_MAJOR} or later, and this is ${process.versions.node}: run it through npm after npm ci, which brings its own.`,
    );
  keepCompiled();
  if (command.command) return run(command.command, rest);
  const { whyNotCurrent } = await import('../build/current.js');
  if (command.builds && whyNotCurrent('gateway', 'console', 'victims')) {
    run(`"${process.execPath}" "${fileURLToPath(new URL('../build/main.ts', import.meta.url))}" --tests`, []);
    if (process.exitCode) return;
  }
  if (command.built) {
    const old = whyNotCurrent(command.built, 'console');
    if (old) return fail(old);
    endOnSignal();
    process.setSourceMapsEnabled(true);
  }
  const file = new URL(command.file ?? `../../dist/${command.built}.mjs`, import.meta.url);
  process.argv.splice(1, 2, file.pathname);
  await import(file.href);
}

/** Exits on a signal, because a container's first process receives only signals that it handles. */
function endOnSignal() {
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.listenerCount(signal) === 0 && process.exit(0));
}

/** Caches compiled code. Only the user who installed the gateway should be able to write to the folder. */
function keepCompiled() {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
  module.enableCompileCache();
}

function run(command, words) {
  const { status } = spawnSync([command, ...words.map((word) => JSON.stringify(word))].join(' '), { shell: true, stdio: 'inherit' });
  process.exitCode = status === null ? 1 : status;
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

await main(process.argv.slice(2));
