import type { Books, Contact, Conversation, Message } from './books.ts';

/** Chatwoot's responses and webhooks, with the fields from its views and documentation. */

const TYPES = ['incoming', 'outgoing'];
const seconds = (ms: number): number => Math.floor(ms / 1_000);

export const contactView = ({ id, name, identifier, phone, places }: Contact) => ({
  ...{ id, name, identifier, phone_number: phone, email: null, availability_status: 'offline' },
  contact_inboxes: places.map(({ inbox, source }) => ({ source_id: source, inbox: { id: inbox, channel_type: 'Channel::Api' } })),
});

export const conversationView = (books: Books, { id, contact, inbox, labels, createdAt, activeAt }: Conversation) => ({
  ...{ id, inbox_id: inbox, status: 'open', labels, account_id: 1 },
  ...{ created_at: seconds(createdAt), last_activity_at: seconds(activeAt), timestamp: seconds(activeAt) },
  // Without `contact_inboxes`, as in Chatwoot.
  meta: { sender: { ...contactView(books.contact(contact)!), contact_inboxes: undefined }, channel: 'Channel::Api' },
});

export const messageView = (url: string, books: Books, message: Message) => ({
  ...{ id: message.id, content: message.content, conversation_id: message.conversation, message_type: TYPES.indexOf(message.type) },
  ...{ content_type: 'text', status: message.status, private: message.isPrivate, source_id: message.source },
  created_at: seconds(message.createdAt),
  content_attributes: {
    ...(message.inReplyTo !== null && { in_reply_to: message.inReplyTo }),
    ...(message.isDeleted && { deleted: true }),
    ...(message.error !== null && { external_error: message.error }),
  },
  ...(message.sender !== null && { sender: { id: 1, name: message.sender, available_name: message.sender, type: 'user' } }),
  ...(message.files.length > 0 && {
    attachments: message.files.map((file) => ({
      file_type: /^(image|audio|video)\//.exec(file.type)?.[1] ?? 'file',
      data_url: `${url}/files/${books.files.indexOf(file)}/${encodeURIComponent(file.name)}`,
    })),
  }),
});

export const webhookView = (url: string, books: Books, event: string, message: Message) => ({
  ...messageView(url, books, message),
  event,
  message_type: message.type,
  inbox: { id: books.conversation(message.conversation)!.inbox, name: 'Shop' },
  account: { id: 1, name: 'Acme' },
  conversation: {
    id: message.conversation,
    status: 'open',
    contact_inbox: { source_id: books.contact(books.conversation(message.conversation)!.contact)!.places[0]?.source },
  },
});
