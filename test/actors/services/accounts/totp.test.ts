import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { newTotpSecret, otpauthUrl, stepOfCode } from '../../../../actors/services/accounts/totp.ts';
import { seededRandom } from '../../../../runtime/random.ts';

const seed = Number(process.env['SEED'] ?? 6238);
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4226 and RFC 6238 once more, by hand: shares nothing with the library. */
function codeAt(secret: string, step: number): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = digest.at(-1)! & 15;
  return String((digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}

it(`matches another implementation for 1,000 random secrets and times (SEED=${seed})`, () => {
  const random = seededRandom(seed);
  for (let nth = 0; nth < 1_000; nth += 1) {
    const secret = newTotpSecret();
    const now = Math.floor(random() * 4_102_444_800_000);
    const step = Math.floor(now / 30_000);
    assert.equal(stepOfCode(secret, codeAt(secret, step), now), step);
    assert.equal(stepOfCode(secret, codeAt(secret, step - 1), now), step - 1);
    for (const far of [step + 1, step - 2])
      if (![step, step - 1].some((near) => codeAt(secret, near) === codeAt(secret, far)))
        assert.equal(stepOfCode(secret, codeAt(secret, far), now), null);
  }
});

const hasOathtool = spawnSync('oathtool', ['--version']).status === 0;
if (!hasOathtool) console.log('oathtool is not installed: codes are not judged by OATH Toolkit.');

/** One run of the shell: a thousand of node's own starts would cost ten times as much. */
function codesOfOathtool(asked: readonly { secret: string; seconds: number }[]): readonly string[] {
  const each = 'while read -r secret seconds; do oathtool --totp --base32 --now "@$seconds" "$secret" || exit 1; done';
  const input = asked.map(({ secret, seconds }) => `${secret} ${seconds}\n`).join('');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', each], { input, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout.trim().split('\n');
}

it(`accepts 1,000 codes of OATH Toolkit (SEED=${seed})`, { skip: !hasOathtool && 'oathtool is not installed' }, () => {
  const random = seededRandom(seed);
  const asked = Array.from({ length: 1_000 }, () => ({ secret: newTotpSecret(), seconds: Math.floor(random() * 4_102_444_800) }));
  const codes = codesOfOathtool(asked);
  assert.equal(codes.length, asked.length);
  for (const [at, { secret, seconds }] of asked.entries())
    assert.equal(stepOfCode(secret, codes[at]!, seconds * 1_000), Math.floor(seconds / 30), `${secret} at ${seconds}`);
});

it('matches the test vectors of RFC 6238 (the last six digits)', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ] as const)
    assert.equal(stepOfCode(secret, code, seconds * 1_000), Math.floor(seconds / 30), String(seconds));
});

it('names the issuer and the person in the URL for authenticator apps', () => {
  const url = new URL(otpauthUrl('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 'Gateway', 'Acme'));
  assert.deepEqual([url.protocol, url.searchParams.get('issuer'), url.searchParams.get('digits')], ['otpauth:', 'Gateway', '6']);
});
