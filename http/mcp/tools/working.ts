import Joi from 'joi';
import { invalidField, refusal } from '../../../actors/domain/refusals.ts';
import type { FullChat } from '../../areas/conversations/schemas.ts';
import type { Fields } from '../messages.ts';
import { type ToolCall, tool } from '../tool.ts';
import { shownCampaign } from './business.ts';
import { contactOf, given, shownDevice } from './reading.ts';
import { expectOneText } from './sending.ts';

interface ChatArgs {
  readonly session_id: string;
  readonly chat_id: string;
  readonly agent_id?: string | null;
  readonly status?: string;
  readonly add_tags?: string[];
  readonly note?: string;
  readonly mark_read?: boolean;
}

const Tags = Joi.array().items(Joi.string().trim().min(1).max(50)).max(20);
const TAG_COLOR = '#888888';
const NOTHING = { en: 'specify at least one field to change', id: 'tentukan setidaknya satu kolom yang diubah' };

export const updateChat = tool({
  name: 'update_chat',
  title: 'Work on a chat',
  description: 'Assign, tag, add a note, change the status or mark as read. Nothing is sent.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  args: Joi.object<ChatArgs, true>({
    session_id: Joi.string().max(26).required(),
    chat_id: Joi.string().max(64).required(),
    agent_id: Joi.string().max(26).allow(null),
    status: Joi.string().valid('open', 'pending', 'resolved'),
    add_tags: Tags,
    note: Joi.string().min(1).max(4_096),
    mark_read: Joi.boolean(),
  }),
  needs: ['getChat', 'changeChat', 'addChatNote', 'readChat'],
  async run(call, { session_id: sessionId, chat_id: chatId, agent_id, status, add_tags = [], note, mark_read }) {
    const params = { sessionId, chatId };
    const { ask, caller } = call;
    let chat = await ask('getChat', { params });
    const change = given({ agent_id, status, add_tags: add_tags.length === 0 ? undefined : await colored(call, add_tags) });
    if (Object.keys(change).length === 0 && note === undefined && !mark_read) throw invalidField('arguments', NOTHING);
    const changed = () => (Object.keys(change).length === 0 ? chat : ask('changeChat', { params, body: change }));
    // If an agent hands the chat over, this is done last, because the agent may then lose access to
    // it.
    const isLast = caller.role === 'agent' && agent_id !== undefined && agent_id !== caller.agentId;
    if (!isLast) chat = await changed();
    if (note !== undefined && chat.notes[0] !== note) chat = await ask('addChatNote', { params, body: { text: note } });
    if (mark_read) chat = await ask('readChat', { params });
    if (isLast) chat = await changed();
    return { told: { chat: shownWork(chat) } };
  },
});

const shownWork = ({ session_id, chat_id, chat_name, status, agent_id, tags, notes, unread_count }: FullChat): Fields => ({
  ...{ session_id, chat_id, name: chat_name, status, agent_id },
  tags: tags.map(({ name }) => name),
  notes: notes.slice(0, 3),
  unread: unread_count,
});

async function colored({ ask }: ToolCall, names: readonly string[]) {
  const known = new Map((await ask('listTags')).tags.map(({ name, color }) => [name, color]));
  return [...new Set(names)].map((name) => ({ name, color: known.get(name) ?? TAG_COLOR }));
}

interface ContactArgs {
  readonly phone: string;
  readonly name?: string;
  readonly add_tags?: string[];
  readonly attrs?: Readonly<Record<string, string>>;
}

export const saveContact = tool({
  name: 'save_contact',
  title: 'Save a contact',
  description: 'Create a contact, or change the given fields of the contact with this number. Consent is never changed here.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  args: Joi.object<ContactArgs, true>({
    phone: Joi.string().min(1).max(64).required(),
    name: Joi.string().max(200),
    add_tags: Tags,
    attrs: Joi.object().pattern(Joi.string().max(64), Joi.string().max(500)).max(50),
  }),
  needs: ['listContacts', 'createContact', 'changeContact'],
  async run(call, { phone: written, name, add_tags = [], attrs }) {
    const phone = await call.numbers.digits(call.caller, written);
    const there = await contactOf(call, phone);
    const tags = add_tags.length === 0 ? undefined : add_tags;
    const fields = given({ name, attrs, ...(there ? { add_tags: tags } : { tags: tags && [...new Set(tags)] }) });
    if (there && Object.keys(fields).length === 0) return { told: { contact: there, created: false } };
    const contact = there
      ? await call.ask('changeContact', { params: { id: there.id }, body: fields })
      : await call.ask('createContact', { body: { phone: `+${phone}`, ...fields } });
    return { told: { contact, created: there === null } };
  },
});

interface DraftArgs {
  readonly name: string;
  readonly body?: string;
  readonly template_id?: string;
  readonly segment_id?: string;
  readonly tag?: string;
  readonly session_id?: string;
}

const NO_DEVICE = { en: 'session_id is required: there is no device yet', id: 'session_id wajib diisi: belum ada perangkat' };

export const draftCampaign = tool({
  name: 'draft_campaign',
  title: 'Draft a campaign',
  description:
    'Create a campaign draft for a segment or tag, and report how many people would get it and how many are left out and why. Only a person can start it, in the console.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  args: Joi.object<DraftArgs, true>({
    name: Joi.string().min(1).max(100).required(),
    body: Joi.string().min(1).max(4_096),
    template_id: Joi.string().max(26),
    segment_id: Joi.string().max(26),
    tag: Joi.string().min(1).max(50),
    session_id: Joi.string().max(26),
  }),
  needs: ['listSessions', 'createBlast'],
  async run(call, { session_id, ...content }) {
    expectOneText(content);
    const { sessions } = await call.ask('listSessions');
    const meant = sessions.find(({ id }) => id === session_id);
    if (session_id !== undefined && !meant) throw refusal('NOT_FOUND');
    const sender = meant ?? sessions.find(({ status }) => status === 'connected') ?? sessions[0];
    if (!sender) throw invalidField('session_id', NO_DEVICE);
    const draft = { ...content, message_type: 'text', session_id: sender.id };
    const campaign = await call.ask('createBlast', { body: draft });
    const optedOut = await optedOutOf(call, content);
    return {
      told: {
        campaign: shownCampaign(campaign, call.caller.plan.zone),
        device: shownDevice(sender),
        people_in_audience: campaign.total_recipients,
        left_out: { opted_out: optedOut },
        would_get_it: optedOut === null ? null : Math.max(0, campaign.total_recipients - optedOut),
        started: false,
        next: 'A person starts it in the console',
      },
    };
  },
});

const OPTED_OUT = { field: 'consent', op: 'is', value: 'opted_out' };

/** Returns null if the audience has no rules for counting, or if the caller may not count. */
async function optedOutOf({ ask, may }: ToolCall, { segment_id, tag }: Pick<DraftArgs, 'segment_id' | 'tag'>): Promise<number | null> {
  if (!may('previewSegment') || !may('getSegment')) return null;
  const count = async (rules: readonly unknown[]): Promise<number> =>
    (await ask('previewSegment', { body: { rules: { all: [...rules, OPTED_OUT] } } })).count;
  if (tag !== undefined) return count([{ field: 'tag', op: 'is', value: tag }]);
  if (segment_id === undefined) return null;
  const { all } = (await ask('getSegment', { params: { id: segment_id } })).rules;
  return all === undefined ? null : count(all);
}
