import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { notAllowed, TOOLS_LOCKS, toolsIn } from '../../../scripts/licences/rules.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const of = (license: string, rest: object = {}): readonly string[] => notAllowed({ 'node_modules/one': { license, ...rest } });

describe('package licences', () => {
  it('are permitted for all installed packages', () => {
    assert.deepEqual(notAllowed(packages), []);
    assert.ok(Object.keys(packages).length > 200);
  });

  it('are also permitted for all tools that are installed only on CI', () => {
    const tools = TOOLS_LOCKS.map((file) => toolsIn(JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages));
    assert.deepEqual(tools.flatMap(notAllowed), []);
    for (const one of tools) assert.ok(Object.keys(one).length > 2);
    assert.deepEqual(notAllowed(toolsIn({ '': {}, 'node_modules/one': { license: 'GPL-3.0' } })), ['one: GPL-3.0']);
  });

  it('are rejected if distributors would have to publish their source code', () => {
    for (const license of [
      'GPL-3.0',
      'AGPL-3.0-or-later',
      'LGPL-3.0',
      'SSPL-1.0',
      'MIT AND GPL-3.0',
      'UNLICENSED',
      'SEE LICENSE IN x',
      '',
    ]) {
      assert.deepEqual(of(license), [`one: ${license}`]);
    }
    assert.deepEqual(notAllowed({ 'node_modules/one/node_modules/two': {} }), ['two: no licence']);
  });

  it('are permitted if one of several alternatives is permitted', () => {
    assert.deepEqual(of('GPL-3.0 OR MIT'), []);
    assert.deepEqual(of('(MIT OR GPL-3.0) AND ISC'), []);
    assert.deepEqual(of('MIT OR GPL-3.0 AND AGPL-3.0'), []);
    assert.equal(of('(MIT OR ISC) AND GPL-3.0').length, 1);
    assert.equal(of('(MIT OR ISC').length, 1);
    assert.equal(of('MIT OR').length, 1);
    assert.equal(of('MIT GPL-3.0').length, 1);
  });

  it('may be granted per file only in packages that are not distributed', () => {
    assert.deepEqual(of('MPL-2.0', { dev: true }), []);
    assert.deepEqual(of('MPL-2.0'), ['one: MPL-2.0']);
    assert.deepEqual(of('GPL-3.0', { dev: true }), ['one: GPL-3.0']);
  });

  it("do not include the licence of the client library's Signal code, which the project replaces", () => {
    assert.equal(packages['node_modules/libsignal'].link, true);
    const loaded = createRequire(import.meta.resolve('@whiskeysockets/baileys')).resolve('libsignal/src/curve.js');
    assert.equal(loaded, join(ROOT, 'actors/network/whatsapp/libsignal/curve.ts'));
  });
});
