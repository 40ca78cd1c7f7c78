import { groupsOf, type NonEmpty } from '../../../runtime/groups.ts';
import type { CampaignMessages, SentMessage } from '../../../store/campaigns/campaign-messages.ts';
import { REPLY_MS, type Recipients } from '../../../store/campaigns/recipients.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { ConsentMatchers, MatchConsent } from '../consent/config.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';

export interface NoteRepliesDeps {
  readonly recipients: Pick<Recipients, 'unanswered' | 'answered'>;
  readonly campaignMessages: Pick<CampaignMessages, 'sentTo'>;
  readonly listeners: Pick<ConsentMatchers, 'of'>;
  hint(tenantId: string, campaignId: string): void;
}

/** Counts a reply for all campaigns that were sent to the chat before it. */
export function noteReplies(deps: NoteRepliesDeps): OutboxHandler {
  return {
    name: 'replies',
    async plan(rows) {
      const byDevice = groupsOf(rows.filter(isWritten), ({ session_id }) => session_id);
      const planned = await Promise.all([...byDevice.values()].map((own) => planOf(deps, own)));
      const changed: { tenantId: string; campaignId: string }[] = [];
      const writes = planned.flat().map(({ answer, ...campaign }) => async () => {
        if (await answer()) changed.push(campaign);
      });
      if (writes.length === 0) return null;
      return {
        writes,
        stored() {
          for (const { tenantId, campaignId } of changed) deps.hint(tenantId, campaignId);
        },
      };
    },
  };
}

interface Answer {
  readonly tenantId: string;
  readonly campaignId: string;
  answer(): Promise<boolean>;
}

async function planOf(
  { recipients, campaignMessages, listeners }: NoteRepliesDeps,
  rows: NonEmpty<MessageRow>,
): Promise<readonly Answer[]> {
  const [{ tenant_id: tenantId, session_id }] = rows;
  const first = rows.reduce((earliest, { created_at }) => Math.min(earliest, created_at), Number.POSITIVE_INFINITY);
  const chats = [...new Set(rows.map(({ chat_id }) => chat_id))];
  const sent = await campaignMessages.sentTo(session_id, chats, first - REPLY_MS - LONGEST_IN_LANE_MS);
  const answers = sent.flatMap((message) => {
    const reply = rows.find((row) => isAnswerTo(row, message));
    return reply ? [{ _id: message._id, reply }] : [];
  });
  if (answers.length === 0) return [];
  const [open, matchConsent] = await Promise.all([recipients.unanswered(answers.map(({ _id }) => _id)), listeners.of(tenantId)]);
  const campaigns = new Map(open.map(({ _id, blast_id }) => [_id, blast_id]));
  return answers.flatMap(({ _id, reply }) => {
    const campaignId = campaigns.get(_id);
    if (campaignId === undefined) return [];
    return [{ tenantId, campaignId, answer: () => recipients.answered(_id, kindOf(reply, matchConsent), reply.created_at) }];
  });
}

/** Longest time from acceptance to sending. The log is sorted by acceptance, so search this far back. */
const LONGEST_IN_LANE_MS = 24 * 3_600_000;

const isWritten = ({ direction, message_type }: MessageRow): boolean => direction === 'inbound' && message_type !== 'reaction';

function isAnswerTo({ chat_id, created_at }: MessageRow, message: SentMessage): boolean {
  const { sent_at } = message;
  return chat_id === message.chat_id && sent_at !== null && sent_at <= created_at && created_at - sent_at <= REPLY_MS;
}

const kindOf = ({ body }: MessageRow, matchConsent: MatchConsent) =>
  body !== null && matchConsent(body) === 'opted_out' ? ('opted_out_at' as const) : ('replied_at' as const);
