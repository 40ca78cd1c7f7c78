import { Refusal } from '../../../../runtime/errors.ts';
import type { ChannelDraft, ChannelRecord } from '../../channels.ts';
import { LOOK_FIRST } from '../../questions.ts';
import { askMex, Unreadable } from '../mex/ask-mex.ts';
import { el, query } from '../questions/query.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { readChannel } from './read-channel.ts';

/** The network's terms of use for those who run channels, and the stage that says "accepted". */
const TERMS = { id: '20601218', stage: '5' };
/** The network's clock may be behind ours. */
const SKEW_MS = 60_000;

/**
 * Makes a channel, and asks for it once only. Where the network's answer is lost or cannot be read, what was asked for is looked for among our
 * channels: by its name, made since. Refuses as the network does, and DEVICE_TIMEOUT where nobody can tell whether it was made.
 */
export async function createChannel(
  context: ConnectionContext,
  { name, description, picture }: ChannelDraft,
  list: () => Promise<readonly ChannelRecord[]>,
): Promise<ChannelRecord> {
  const since = context.clock.now() - SKEW_MS;
  await acceptTerms(context);
  try {
    const input = { name, description, ...(picture !== undefined && { picture }) };
    const told = await askMex(context, { name: 'create', variables: { input }, root: 'xwa2_newsletter_create' });
    const made = readChannel(told, 'owner');
    if (made) return { ...made, role: 'owner' };
  } catch (cause) {
    // Said no, and nothing was made. Anything else leaves it open.
    if (cause instanceof Refusal && cause.code !== 'DEVICE_TIMEOUT' && !(cause instanceof Unreadable)) throw cause;
  }
  const found = await list().then(
    (all) => all.filter((one) => one.role === 'owner' && one.name === name && (one.createdAt ?? 0) >= since),
    () => [],
  );
  const newest = found.toSorted((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0))[0];
  if (newest) return newest;
  throw new Refusal('DEVICE_TIMEOUT', { reason: LOOK_FIRST });
}

const acceptTerms = (context: ConnectionContext): Promise<unknown> =>
  query(context, { xmlns: 'tos', type: 'set', to: '@s.whatsapp.net', content: [el('notice', TERMS)] });
