import { Refusal } from '../../../../runtime/errors.ts';
import type { ChannelDraft, ChannelRecord } from '../../channels.ts';
import { LOOK_FIRST } from '../../questions.ts';
import { askMex, Unreadable } from '../mex/ask-mex.ts';
import { el, query } from '../questions/query.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { readChannel } from './read-channel.ts';

/** The terms of use for channel owners, and the stage at which they are accepted. */
const TERMS = { id: '20601218', stage: '5' };
/** Tolerance for a network clock that is behind ours. */
const SKEW_MS = 60_000;

/** After a lost response, looks for a new channel of that name. DEVICE_TIMEOUT if there is none. */
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
    // A refusal means that no channel was created. After any other failure, the outcome is unknown.
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
