import { serveJobs } from '../../../../runtime/child-processes/serve-jobs.ts';
import { isOneOf, memberOf } from '../../../../runtime/shapes.ts';
import { type Outcome, packIn } from './recipes.ts';
import { Unconvertible } from './unconvertible.ts';

const MAKES = ['facts', 'voice', 'image', 'thumbnail', 'sticker', 'avatar', 'bare'] as const;

serveJobs(async (order, { input, put, write }) => {
  const say = (outcome: Outcome): void => put(outcome);
  try {
    const { notes, bytes, type } = await made(order, input);
    say({ notes, type });
    if (bytes) write(bytes);
  } catch (cause) {
    say({ refused: cause instanceof Unconvertible ? cause.reason : 'unreadable' });
  }
});

type Made = Extract<Outcome, { notes: unknown }> & { readonly bytes?: Uint8Array };

async function made(order: unknown, input: Buffer): Promise<Made> {
  const named = memberOf(order, 'make');
  const make = isOneOf(MAKES, named) ? named : 'facts';
  if (make === 'facts') return { notes: await (await import('./facts.ts')).factsOf(input), type: null };
  if (make === 'voice') {
    const { bytes, ...notes } = await (await import('./voice.ts')).voiceNoteOf(input, memberOf(order, 'isPcm') === true);
    return bytes ? { notes, type: OPUS, bytes } : { notes, type: null };
  }
  if (make === 'sticker') {
    const pack = packIn(memberOf(order, 'pack')) ?? { id: '', name: '', publisher: '', emojis: [] };
    return (await import('./sticker.ts')).sticker(input, { pack, isAsked: memberOf(order, 'isAsked') === true });
  }
  if (make === 'bare') return (await import('./metadata.ts')).bare(input);
  const { avatar, examined, picture, thumbnailOf } = await import('./image.ts');
  if (make === 'avatar') return avatar(input);
  const maxSide = memberOf(order, 'maxSide');
  if (make === 'image') return picture(input, Number(maxSide));
  await examined(input);
  const thumbnail = await thumbnailOf(input, typeof maxSide === 'number' ? maxSide : undefined);
  return { notes: thumbnail === null ? {} : { thumbnail }, type: null };
}

const OPUS = 'audio/ogg; codecs=opus';
