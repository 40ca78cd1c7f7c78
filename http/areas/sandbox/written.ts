import Joi from 'joi';
import { MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH } from '../../../actors/domain/text-tokens.ts';
import type { WriteBody } from '../../../actors/network/sandbox/api.ts';
import { CONTENT_KINDS } from '../../../store/messaging/content-kinds.ts';
import { requiredWhen } from '../../core/schemas.ts';
import { MESSAGE_TYPES } from '../messages/schemas.ts';

const To = Joi.string()
  .pattern(/^(\+?\d{5,15}|[\d-]{5,40}@(g\.us|newsletter))$/)
  .required()
  .description("A device's number, or the address of a group or of a channel that this phone owns")
  .example('6281234567890');

const Location = Joi.object({ lat: Joi.number().min(-90).max(90).required(), lng: Joi.number().min(-180).max(180).required() });
const Contact = Joi.object({ name: Joi.string().max(100).required(), phone: Joi.string().max(20).required() });

const ACTS = ['reaction', 'edit', 'delete', 'vote', 'call', 'read', 'voice', 'album'] as const;
const Word = Joi.string().max(2_048).allow('', null);

const WrittenFile = Joi.object({
  base64: Joi.string().base64().max(700_000).description('The bytes'),
  size: Joi.number()
    .integer()
    .min(1)
    .max(200_000_000)
    .unit('bytes')
    .description('A size instead of bytes; the content is generated from `seed`'),
  seed: Joi.number().integer().min(0),
  filename: Joi.string().max(255),
  content_type: Joi.string().max(100).description('The content type that the phone states'),
}).xor('base64', 'size');

export const written = Joi.object<WriteBody>({
  to: To,
  type: Joi.string()
    .valid(...MESSAGE_TYPES, ...ACTS, ...CONTENT_KINDS)
    .default('text')
    .description(
      'A message; an action on one (reaction, edit, delete, vote); a call; `read`: the chat with `to` was read; `voice`: a voice note; `album`: several ' +
        'pictures and videos; a `kind` of network content other than a message, with its fields in `content`; or `unsupported`: content that no device ' +
        'understands',
    ),
  body: requiredWhen(Joi.string().max(MAX_TEXT_LENGTH).allow(''), 'type', 'text', 'reaction', 'edit')
    .description('The text; for a reaction the emoji, empty to remove it')
    .example('STOP'),
  target: requiredWhen(Joi.string().max(64), 'type', 'reaction', 'edit', 'delete', 'vote').description(
    'The network id (`id`, `wa_message_id`) of the target message; for a comment, of the message that it is about',
  ),
  location: requiredWhen(Location, 'type', 'location'),
  contact: Contact.description('Required for contact, unless `contacts` is given'),
  contacts: Joi.array()
    .items(
      Joi.object({ name: Joi.string().max(200).allow('').required(), phones: Joi.array().items(Joi.string().max(64)).max(20).required() }),
    )
    .min(1)
    .max(100)
    .description('For a contact: several cards, each with all of its numbers'),
  poll_name: requiredWhen(Joi.string().max(200), 'type', 'poll'),
  choices: requiredWhen(Joi.array().items(Joi.string().max(80)).max(12), 'type', 'poll', 'vote').description(
    'For a poll: the options; for a vote: all options that are chosen now, by name',
  ),
  file: WrittenFile.description('Required for types with a file, unless `view_once` is true'),
  content: Joi.object().unknown().description('For a kind: its fields'),
  place: Joi.object({ name: Word, address: Word, url: Word }).description('For a location'),
  ad: Joi.object({ title: Word, body: Word, source_url: Word, source_id: Word, ctwa: Word }).description(
    'The advertisement from which the person started the chat',
  ),
  mentions: Joi.array().items(Joi.string().max(64)).max(256).description('Numbers or addresses of people who are mentioned in the text'),
  forwarded: Joi.boolean(),
  ephemeral: Joi.number().integer().min(0).unit('seconds').description('Time after which the message disappears from phones'),
  hd: Joi.boolean().description('For a picture or a video: sent twice, the second time in HD'),
  view_once: Joi.boolean().description('For a picture, a video or audio: can be opened once, only on the phone'),
  sealed: Joi.boolean().description('For an edit or a reaction: encrypted with the secret of its message, as current phones do'),
  broadcast: Joi.boolean().description('The message was sent to a list of people'),
  media: requiredWhen(
    Joi.array()
      .items(
        Joi.object({
          type: Joi.string().valid('image', 'video').required(),
          file: WrittenFile.required(),
          caption: Joi.string().max(MAX_CAPTION_LENGTH),
        }),
      )
      .min(1)
      .max(30),
    'type',
    'album',
  ),
  caption: Joi.string().max(MAX_CAPTION_LENGTH),
  voice_note: Joi.boolean(),
  video: Joi.boolean().description('For a call'),
  field: requiredWhen(Joi.number().integer().min(1).max(536_870_911), 'type', 'unsupported').description(
    'For `unsupported`: the number of the field that holds the content; the device counts it as `field_<number>`',
  ),
  wa_message_id: Joi.string()
    .min(1)
    .max(64)
    .description('For a message: its network id, which phones choose themselves; default: a new one'),
  reply_to: Joi.string().max(64).allow(null).description("Quotes a message by the network's id"),
});
