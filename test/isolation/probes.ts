import { CUSTOMER } from './belongings.ts';

const MESSAGES = '/v1/sessions/{sessionId}/messages';

/** What fields of bodies and queries name by an id, as `Belongings` know it. */
export const KINDS: Readonly<Record<string, string>> = {
  session_id: '/v1/sessions',
  session_ids: '/v1/sessions',
  template_id: '/v1/templates',
  media_r2_key: '/v1/media',
  reply_r2_key: '/v1/media',
  reply_to: MESSAGES,
  group_id: '/v1/contact-groups',
  segment_id: '/v1/segments',
  rotator_id: '/v1/rotators',
  agent_id: '/v1/agents',
  webhook_id: '/v1/webhooks',
  contact_id: '/v1/contacts',
  ids: '/v1/contacts',
  value: '/v1/contact-groups',
};

/** A body that is taken if the id in it is: `own` is a device of the caller. */
type Probe = (id: string, own: string) => object;

/** Nobody knows them, so their chat is in everybody's sight. */
const STRANGER = '6281211110078';
const to = { chat_id: STRANGER };
const document = { ...to, type: 'document' };
const text = { ...to, type: 'text' };
const later = { scheduled_at: 1_767_225_600_000 + 86_400_000 };
const campaign = { name: 'Sale', message_type: 'text' };
const daily = { name: 'Daily', targets: [STRANGER], schedule_type: 'daily' };

/** Of rows whose example is no body that they take as it is. */
export const PLAIN: Readonly<Record<string, object>> = {
  updateApiKey: { name: 'Shop' },
  changeBlast: { name: 'Sale' },
  resendBlast: { reasons: ['expired'] },
  forwardMessage: { chat_id: CUSTOMER },
  sendAlbum: { ...to, media: [{ media_r2_key: 'med_01JZX5ZB4T8QKX3N9V7C2M6D1E' }, { media_r2_key: 'med_01JZX5ZB4T8QKX3N9V7C2M6D1F' }] },
  scheduleMessage: { ...text, ...later, chat_id: CUSTOMER, body: 'Hi' },
  changeScheduled: { body: 'Hi' },
  changeRecurring: { name: 'Daily' },
  changeRotator: { name: 'Counters' },
  createTemplate: { name: 'Flyer', message_type: 'text', body: 'Hi' },
  changeTemplate: { name: 'Flyer' },
  changeSavedAnswer: { answer: 'Yes' },
  answerUnanswered: { answer: 'Yes' },
  changeStore: { name: 'Toko' },
  previewTemplate: {},
  addCommunityGroup: { subject: 'South' },
  publishStatus: { type: 'text', body: 'Hi', recipients: [`+${CUSTOMER}`] },
};

const inGroup = (value: string) => ({ all: [{ field: 'group_id', op: 'is', value }] });

/** By row and field. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'createApiKey.session_ids': (id) => ({ name: 'Shop', session_ids: [id] }),
  'updateApiKey.session_ids': (id) => ({ session_ids: [id] }),
  'changeAiReply.session_ids': (id) => ({ session_ids: [id] }),
  'sendMessage.template_id': (id) => ({ ...text, template_id: id }),
  'publishStatus.media_r2_key': (id) => ({ type: 'image', media_r2_key: id, recipients: [`+${CUSTOMER}`] }),
  'setAccountPicture.media_r2_key': (id) => ({ media_r2_key: id }),
  'setGroupPicture.media_r2_key': (id) => ({ media_r2_key: id }),
  'sendMessage.media_r2_key': (id) => ({ ...document, media_r2_key: id }),
  'sendMessage.reply_to': (id) => ({ ...text, body: 'Hi', reply_to: id }),
  'sendAlbum.media_r2_key': (id) => ({ ...to, media: [{ media_r2_key: id }, { media_r2_key: id }] }),
  'sendMessages.template_id': (id) => ({ messages: [{ ...text, template_id: id }] }),
  'sendMessages.media_r2_key': (id) => ({ messages: [{ ...document, media_r2_key: id }] }),
  'sendMessages.reply_to': (id) => ({ messages: [{ ...text, body: 'Hi', reply_to: id }] }),
  'sendOverRotator.template_id': (id) => ({ ...text, template_id: id }),
  'sendOverRotator.media_r2_key': (id) => ({ ...document, media_r2_key: id }),
  'sendOverRotator.reply_to': (id) => ({ ...text, body: 'Hi', reply_to: id }),
  'scheduleMessage.template_id': (id) => ({ ...text, ...later, template_id: id }),
  'scheduleMessage.media_r2_key': (id) => ({ ...document, ...later, media_r2_key: id }),
  'scheduleMessage.reply_to': (id) => ({ ...text, ...later, body: 'Hi', reply_to: id }),
  'changeScheduled.template_id': (id) => ({ ...text, template_id: id }),
  'changeScheduled.media_r2_key': (id) => ({ ...document, media_r2_key: id }),
  'changeScheduled.reply_to': (id) => ({ ...text, body: 'Hi', reply_to: id }),
  'createRecurring.media_r2_key': (id) => ({ ...daily, media_r2_key: id }),
  'createRecurring.template_id': (id) => ({ ...daily, template_id: id }),
  'changeRecurring.template_id': (id) => ({ template_id: id }),
  'changeRecurring.media_r2_key': (id) => ({ media_r2_key: id }),
  'createRotator.session_ids': (id, own) => ({ name: 'Counters', session_ids: [own, id] }),
  'changeRotator.session_ids': (id, own) => ({ session_ids: [own, id] }),
  'createTemplate.session_id': (id) => ({
    official: { session_id: id, name: 'ready', language: 'en', category: 'utility', components: [{}] },
  }),
  'createBlast.session_id': (id) => ({ ...campaign, body: 'Hi', session_id: id }),
  'createBlast.rotator_id': (id) => ({ ...campaign, body: 'Hi', rotator_id: id }),
  'createBlast.template_id': (id, own) => ({ ...campaign, template_id: id, session_id: own }),
  'createBlast.media_r2_key': (id, own) => ({ name: 'Sale', message_type: 'document', media_r2_key: id, session_id: own }),
  'createBlast.segment_id': (id, own) => ({ ...campaign, body: 'Hi', session_id: own, segment_id: id }),
  'addCommunityGroup.group_id': (id) => ({ group_id: id }),
  'createBlast.group_id': (id, own) => ({ ...campaign, body: 'Hi', session_id: own, group_id: id }),
  'previewBlast.session_id': (id) => ({ ...campaign, body: 'Hi', session_id: id }),
  'previewBlast.rotator_id': (id) => ({ ...campaign, body: 'Hi', rotator_id: id }),
  'previewBlast.template_id': (id, own) => ({ ...campaign, template_id: id, session_id: own }),
  'previewBlast.media_r2_key': (id, own) => ({ name: 'Sale', message_type: 'document', media_r2_key: id, session_id: own }),
  'previewBlast.segment_id': (id, own) => ({ ...campaign, body: 'Hi', session_id: own, segment_id: id }),
  'previewBlast.group_id': (id, own) => ({ ...campaign, body: 'Hi', session_id: own, group_id: id }),
  'changeBlast.session_id': (id) => ({ session_id: id }),
  'changeBlast.rotator_id': (id) => ({ rotator_id: id }),
  'changeBlast.template_id': (id) => ({ template_id: id }),
  'changeBlast.media_r2_key': (id) => ({ message_type: 'document', media_r2_key: id }),
  'changeBlast.segment_id': (id) => ({ segment_id: id }),
  'changeBlast.group_id': (id) => ({ group_id: id }),
  'changeChat.agent_id': (id) => ({ agent_id: id }),
  'assignChat.agent_id': (id) => ({ agent_id: id }),
  'createContact.group_id': (id) => ({ phone: '6281211110077', group_id: id }),
  'changeContact.group_id': (id) => ({ group_id: id }),
  'changeContacts.ids': (id) => ({ action: 'delete', ids: [id] }),
  'changeContacts.value': (id) => ({ action: 'set_group', ids: ['01JZX5ZB4T8QKX3N9V7C2M6D1E'], value: id }),
  'createSegment.value': (id) => ({ name: 'Theirs', rules: inGroup(id) }),
  'previewSegment.value': (id) => ({ rules: inGroup(id) }),
  'changeSegment.value': (id) => ({ rules: inGroup(id) }),
  'changeContacts.segment_id': (id) => ({ action: 'delete', segment_id: id }),
  'createTemplate.media_r2_key': (id) => ({ name: 'Flyer', message_type: 'document', media_r2_key: id }),
  'changeTemplate.media_r2_key': (id) => ({ message_type: 'document', media_r2_key: id }),
  'previewTemplate.contact_id': (id) => ({ contact_id: id }),
  'applyOnboardingPack.session_id': (id) => ({ session_id: id }),
  'connectStore.session_id': (id) => ({ platform: 'platform_b', name: 'Toko', session_id: id }),
  'changeStore.session_id': (id) => ({ session_id: id }),
  'createWebhook.session_id': (id) => ({
    ...{ url: 'https://example.com/hook', secret: 'a secret that only the two of us know' },
    ...{ events: ['message.received'], session_id: id },
  }),
  'replayDeliveries.webhook_id': (id) => ({ webhook_id: id, since: 1_767_225_600_000 }),
  'createAutoReply.reply_r2_key': (id) => ({ name: 'Menu', trigger_type: 'any', reply_type: 'document', reply_r2_key: id }),
  'changeAutoReply.reply_r2_key': (id) => ({ reply_type: 'document', reply_r2_key: id }),
};
