import { readFileSync } from 'node:fs';
import { factsOf } from '../../../../../actors/services/media/convert/facts.ts';
import { Unconvertible } from '../../../../../actors/services/media/convert/unconvertible.ts';

/** Makes of one file what a child of the gateway makes, and says how that ended and what it cost: for hostile-files.test.ts. */
const [make = '', path = ''] = process.argv.slice(2);
const file = readFileSync(path);

async function made(): Promise<unknown> {
  if (make === 'facts') return factsOf(file);
  if (make === 'voice') return (await import('../../../../../actors/services/media/convert/voice.ts')).voiceNoteOf(file, false);
  if (make === 'bare') return (await import('../../../../../actors/services/media/convert/metadata.ts')).bare(file);
  const { avatar, picture } = await import('../../../../../actors/services/media/convert/image.ts');
  if (make === 'avatar') return avatar(file);
  if (make === 'image') return picture(file, 1_600);
  const { sticker } = await import('../../../../../actors/services/media/convert/sticker.ts');
  return sticker(file, { pack: { id: '', name: '', publisher: '', emojis: [] }, isAsked: true });
}

const ended = await made().then(
  () => 'made',
  (cause) => (cause instanceof Unconvertible ? cause.reason : 'unreadable'),
);
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
process.send?.({ ended, cpuMs: (userCPUTime + systemCPUTime) / 1_000, memoryMb: maxRSS / 1_024 });
