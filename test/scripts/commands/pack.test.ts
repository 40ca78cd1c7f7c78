import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { aDirectory } from '../../support/stores.ts';

const PACK = fileURLToPath(new URL('../../../scripts/commands/pack.ts', import.meta.url));
const packed = (...args: readonly string[]) => spawnSync(process.execPath, [PACK, ...args], { encoding: 'utf8' });

describe('npm run pack', () => {
  it('states the digest of each packed file, and the commit it was made from', (t: TestContext) => {
    const directory = aDirectory(t);
    const { status, stdout, stderr } = packed('--to', directory, '--only', 'chart,extension');
    assert.equal(status, 0, stderr);
    const { subject, predicate, ...kind } = JSON.parse(readFileSync(join(directory, 'provenance.json'), 'utf8'));
    assert.deepEqual(kind, { _type: 'https://in-toto.io/Statement/v1', predicateType: 'https://slsa.dev/provenance/v1' });
    const [source] = predicate.buildDefinition.resolvedDependencies;
    assert.match(source.digest.gitCommit, /^[0-9a-f]{40}$/);
    assert.deepEqual(
      subject.map(({ name }: { name: string }) => name),
      ['messaging-gateway-chart.tgz', 'messaging-gateway-extension.zip', 'sbom.json'],
    );
    for (const { name, digest } of subject) {
      const found = createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex');
      assert.equal(digest.sha256, found, name);
      assert.ok(stdout.includes(`${found}  ${name}`));
    }
    assert.equal(JSON.parse(readFileSync(join(directory, 'sbom.json'), 'utf8')).bomFormat, 'CycloneDX');
  });

  it('writes into an empty folder only', (t: TestContext) => {
    const { status, stderr } = packed('--to', join(PACK, '..'), '--only', 'chart');
    assert.deepEqual([status, /is not empty/.test(stderr)], [2, true], stderr);
    assert.equal(packed('--to', aDirectory(t), '--only', 'other').status, 2);
  });
});
