import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { VerifiedFile } from '../../../../actors/network/whatsapp/inbound/verified-file.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { sealFile } from '../../../network-peer/media/files.ts';
import { SeededRandom } from '../../../network-peer/random.ts';

const PLAIN = Buffer.from('picture '.repeat(3_000));

async function read(sealed: Uint8Array, key: Uint8Array, sha256: string): Promise<Buffer> {
  const { iv, cipherKey, macKey } = await (await loadLibrary()).getMediaKeys(key, 'image');
  assert.ok(macKey);
  const pieces = Array.from({ length: Math.ceil(sealed.length / 1_000) }, (_, nth) => sealed.subarray(nth * 1_000, (nth + 1) * 1_000));
  return buffer(Readable.from(pieces).pipe(new VerifiedFile({ iv, cipherKey, macKey }, sha256)));
}

it('an encrypted file can be opened only if all its bytes are unchanged and its MAC and hash are correct', async () => {
  const { sealed, keys } = sealFile('image', PLAIN, new SeededRandom(1));
  const sha256 = keys.fileSha256.toString('hex');
  assert.ok((await read(sealed, keys.mediaKey, sha256)).equals(PLAIN));
  assert.ok((await read(sealed, keys.mediaKey, '')).equals(PLAIN));
  const changed = Buffer.from(sealed);
  changed.writeUInt8((changed[5_000] ?? 0) ^ 1, 5_000);
  const unsigned = Buffer.concat([sealed.subarray(0, -10), Buffer.alloc(10)]);
  const other = createHash('sha256').update('another').digest('hex');
  for (const [bytes, hash] of [
    [changed, sha256],
    [unsigned, sha256],
    [sealed.subarray(0, -16), sha256],
    [sealed.subarray(0, 9), sha256],
    [Buffer.alloc(0), sha256],
    [sealed, other],
  ] as const)
    await assert.rejects(read(bytes, keys.mediaKey, hash), { code: 'UNSUPPORTED_MEDIA_TYPE' });
});
