import Joi from 'joi';
import { CONTENT_KINDS, type ContentKind } from '../../../store/messaging/content-kinds.ts';

/**
 * Schemas of the fields of each content kind that is not a message type. All of this content is
 * unverified data from the sender's phone.
 */

const text = (about: string): Joi.StringSchema => Joi.string().allow(null, '').description(about);
const time = (about: string): Joi.NumberSchema => Joi.number().integer().allow(null).description(about);
const amount = (about: string): Joi.NumberSchema => Joi.number().allow(null).description(about);
const Items = Joi.array().items(Joi.object().unknown());

const shop = {
  product_id: text('The id of the product in the catalogue'),
  ...{
    title: text('The name of the product'),
    description: text('The description of the product'),
    retailer_id: text('The id that the business gave the product'),
    url: text('The web page of the product'),
  },
  ...{
    price: amount('In the main unit of the currency'),
    sale_price: amount('In the main unit of the currency'),
    currency: text('ISO 4217'),
  },
  seller: text('The address of the business that sells the product'),
};
const business = {
  ...{ title: text('The title above the text'), body: text('The text'), footer: text('The footer below the text') },
  buttons: Items.description('`{text, id?, url?, phone?, …}` each'),
};

const FIELDS: Readonly<Record<ContentKind, Joi.PartialSchemaMap>> = {
  order: {
    ...{
      order_id: text('The id of the order'),
      title: text('The title of the order'),
      message: text('The message of the customer with the order'),
    },
    items: Joi.number().integer().allow(null).description('Number of ordered items'),
    status: text('`inquiry`, `accepted` or `declined`'),
    ...{ seller: text('The address of the business'), token: text('Token to look up the order') },
    ...{ total: amount('In the main unit of the currency, as reported by the customer’s phone'), currency: text('ISO 4217') },
  },
  product: { ...shop, body: text('The accompanying text'), footer: text('The footer below the text') },
  product_question: shop,
  button_answer: {
    ...{ id: text('The id of the button'), text: text('The text on the button'), name: text('The name of the flow') },
    index: Joi.number().integer().allow(null),
    params: Joi.any().description('The answers of the flow'),
  },
  list_answer: { id: text('The id of the row'), title: text('The text of the row'), description: text('The text below the title') },
  template: business,
  interactive: {
    ...business,
    button: text('The button that opens the list'),
    cards: Items.description('The cards of a carousel: `{title, body}` each'),
  },
  event: {
    ...{ name: text('The name of the event'), description: text('The description of the event'), url: text('The link to join the event') },
    ...{ starts_at: time('Epoch ms'), ends_at: time('Epoch ms') },
    canceled: Joi.boolean().description('True if the event is canceled'),
  },
  group_invite: {
    ...{
      group_id: text('The address of the group'),
      code: text('The invite code'),
      name: text('The name of the group'),
      caption: text('The accompanying text'),
    },
    expires_at: time('Epoch ms'),
  },
  channel_invite: {
    ...{ channel_id: text('The address of the channel'), name: text('The name of the channel'), caption: text('The accompanying text') },
    expires_at: time('Epoch ms'),
  },
  view_once: { media: text('`image`, `video` or `audio`; null if not known') },
  payment: {
    action: text('`requested`, `sent`, `declined`, `cancelled`, `invoice`, `invited`, `reminded`, `split` or `split_changed`'),
    ...{ amount: amount('In the main unit of the currency'), currency: text('ISO 4217'), note: text('The accompanying text') },
    expires_at: time('Epoch ms'),
  },
  comment: { target: text("The network's id of the message that the comment is about") },
  call_link: {
    ...{ title: text('The title of the call'), at: time('When the call takes place, epoch ms'), url: text('The link to join the call') },
    video: Joi.boolean(),
  },
  sticker_pack: {
    ...{ name: text('The name of the pack'), publisher: text('The publisher'), caption: text('The accompanying text') },
    stickers: Joi.number().integer().allow(null),
  },
  system: { event: text('`poll_result`, `call_log`, `number_requested`, …') },
  unsupported: { field: Joi.number().integer().allow(null).description('The number of the field with the content') },
};

const titleOf = (kind: string): string =>
  `Content${kind
    .split('_')
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
    .join('')}`;

const Contents = CONTENT_KINDS.map((kind) =>
  Joi.object(FIELDS[kind])
    .unknown()
    .meta({ title: titleOf(kind) })
    .description(`For \`${kind}\``),
);

export const Person = Joi.object({
  phone: Joi.string().allow(null).required().description('Digits; null if not known'),
  lid: Joi.string().allow(null).required().description('The hidden address'),
  username: Joi.string().allow(null).required(),
  name: Joi.string().allow(null, '').required(),
}).meta({ title: 'NamedPerson' });

export const Kind = Joi.string()
  .valid(...CONTENT_KINDS)
  .allow(null)
  .description(
    'The kind of content that `message_type` does not cover; null for ordinary messages. Consent words, rules and AI replies read messages of kind null, `button_answer`, ' +
      '`list_answer` and `product_question` only. `view_once`: its file is never downloaded. `unsupported`: the gateway cannot read it',
  );

export const BESIDE = {
  kind: Kind,
  content: Joi.alternatives(...Contents, Joi.object().unknown())
    .allow(null)
    .description('The fields of the kind as the sender’s phone sent them, not verified; at most 16 KB'),
  place: Joi.object({
    name: text('The name of the place').required(),
    address: text('The address of the place').required(),
    url: text('The web page of the place').required(),
  })
    .meta({ title: 'Place' })
    .allow(null)
    .description('Name and address of a location, if it has them'),
  ad: Joi.object({
    ...{
      title: text('The title above the text').required(),
      body: text('The text of the ad').required(),
      source_url: text('The address where the ad was shown').required(),
    },
    ...{ source_id: text('The id of the ad').required(), ctwa: text("The network's id of the click").required() },
  })
    .meta({ title: 'Ad' })
    .allow(null)
    .description('The advertisement from which the person started the chat'),
  contacts: Joi.array()
    .items(
      Joi.object({ name: Joi.string().allow('').required(), phones: Joi.array().items(Joi.string()).required() }).meta({
        title: 'SharedContact',
      }),
    )
    .description('For a contact: all cards, each with all its numbers (digits)'),
  forwarded: Joi.boolean(),
  ephemeral: Joi.number()
    .integer()
    .allow(null)
    .unit('seconds')
    .description('Time after which the message disappears from phones; null if never'),
};

export const LinkPreviewSchema = Joi.alternatives(
  Joi.boolean(),
  Joi.object({
    title: Joi.string().min(1).max(256).required(),
    description: Joi.string().max(512),
    url: Joi.string().min(1).max(2_048).description('The link exactly as in the text. Default: the first link'),
    media_r2_key: Joi.string().min(1).max(256).description('An uploaded picture'),
  }).meta({ title: 'LinkPreview' }),
);
