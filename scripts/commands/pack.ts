/**
 * Packs what others install: the two clients, the n8n node, the Helm chart and the browser extension. Beside the packages
 * it writes `sbom.json`, the components of a gateway, and `provenance.json`: an unsigned in-toto statement with the
 * digest of each file, the commit and the tools that made it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '../../runtime/clock.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAX_OUTPUT = 64 * 2 ** 20;
const BUILD_TYPE = 'urn:messaging-gateway:npm-run-pack:v1';
const BUILDER = 'urn:messaging-gateway:unsigned-local-build';

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: MAX_OUTPUT, stdio: ['ignore', 'pipe', 'inherit'] }).trim();

const archived = (folder: string, name: string) => (to: string) =>
  run('git', 'archive', `--prefix=${name.replace(/\..*/, '')}/`, '-o', join(to, name), `HEAD:${folder}`);
const npmPacked = (folder: string) => (to: string) => run('npm', 'pack', `./${folder}`, '--silent', '--pack-destination', to);

/** npm packs files of the working tree, and git archives those of the commit. */
const PACKAGES = {
  client: { pack: npmPacked('scripts/client'), isFromTree: true },
  n8n: { pack: npmPacked('scripts/n8n'), isFromTree: true },
  python: { pack: archived('scripts/client/python', 'messaging-gateway-python.tar.gz'), isFromTree: false },
  chart: { pack: archived('scripts/deploy/helm', 'messaging-gateway-chart.tgz'), isFromTree: false },
  extension: { pack: archived('scripts/extension', 'messaging-gateway-extension.zip'), isFromTree: false },
} as const;

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

const timeNow = (): string => new Date(systemClock.now()).toISOString();

function stop(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

const { values } = parseArgs({ options: { to: { type: 'string' }, only: { type: 'string' } } });
const directory = resolve(values.to ?? 'packed');
const wanted = values.only?.split(',') ?? Object.keys(PACKAGES);
const unknown = wanted.find((name) => !Object.hasOwn(PACKAGES, name));
if (unknown !== undefined) stop(`There is no package ${unknown}. Choose from ${Object.keys(PACKAGES).join(', ')}.`);
const chosen = Object.entries(PACKAGES).filter(([name]) => wanted.includes(name));
if (chosen.some(([, { isFromTree }]) => isFromTree) && run('git', 'status', '--porcelain') !== '')
  stop('The working tree differs from the commit. Commit or remove the changes first.');
mkdirSync(directory, { recursive: true });
if (readdirSync(directory).length > 0) stop(`${directory} is not empty. Choose an empty folder with --to.`);

const startedOn = timeNow();
for (const [, { pack }] of chosen) pack(directory);
writeFileSync(join(directory, 'sbom.json'), run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'));
const subject = readdirSync(directory)
  .toSorted()
  .map((name) => ({ name, digest: { sha256: sha256(join(directory, name)) } }));
const statement = {
  _type: 'https://in-toto.io/Statement/v1',
  subject,
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: BUILD_TYPE,
      externalParameters: { packages: chosen.map(([name]) => name) },
      internalParameters: { node: process.version, npm: run('npm', '--version'), platform: `${process.platform}-${process.arch}` },
      resolvedDependencies: [
        { name: 'source', digest: { gitCommit: run('git', 'rev-parse', 'HEAD') } },
        { name: 'package-lock.json', digest: { sha256: sha256(join(ROOT, 'package-lock.json')) } },
      ],
    },
    runDetails: { builder: { id: BUILDER }, metadata: { startedOn, finishedOn: timeNow() } },
  },
};
writeFileSync(join(directory, 'provenance.json'), `${JSON.stringify(statement, null, 2)}\n`);
process.stdout.write(`${subject.map(({ name, digest }) => `${digest.sha256}  ${name}`).join('\n')}\n`);
