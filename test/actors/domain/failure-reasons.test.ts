import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { failureReason } from '../../../actors/domain/failure-reasons.ts';

/** How the drivers write a refusal with a code of ours. */
const REFUSED = /(?:new Refused|nobody)\('([a-z_]+)'/g;

it('a failure reason explains in one sentence why a message was not sent, for every driver code', () => {
  const sources = globSync('actors/network/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const codes = new Set(sources.flatMap((text) => [...text.matchAll(REFUSED)].map(([, code = '']) => code)));
  assert.ok(codes.has('not_group_admin') && codes.size >= 6, [...codes].join());
  for (const lang of ['en', 'id'] as const)
    assert.deepEqual(
      [...codes].filter((code) => failureReason(code, lang).includes(code)),
      [],
      lang,
    );
});
