import Joi from 'joi';
import { MATCHED_CHARACTERS } from '../../../actors/domain/matched-part.ts';
import { MAX_CAPTION_LENGTH } from '../../../actors/domain/text-tokens.ts';
import {
  changeRule,
  createRule,
  RULE_DEFAULTS,
  type RuleDeps,
  type RuleFields,
  removeRule,
  rulesOf,
} from '../../../actors/services/auto-reply/rules.ts';
import type { FileAccess } from '../../../actors/services/media/file-access.ts';
import type { RuleRow } from '../../../store/auto-reply/auto-replies.ts';
import { type Area, type Caller, rowsFor } from '../../core/row.ts';
import { Done, Timestamp, Ulid } from '../../core/schemas.ts';
import { fileViewer, inSession } from '../params.ts';
import { TokenWarnings, tokenWarnings } from '../token-warnings.ts';

type Flag = boolean | number | string;

type WrittenRule = Omit<Partial<RuleFields>, 'match_case' | 'is_active'> & { readonly match_case?: Flag; readonly is_active?: Flag };

const YEAR_MS = 31_536_000_000;

const FlagSchema = Joi.any()
  .valid(true, false, 1, 0, 'true', 'false', '1', '0')
  .description('`true`/`false`, `1`/`0`, or the same as text');
const Trigger = Joi.string()
  .valid('any', 'keyword', 'contains', 'regex')
  .description(
    '`any`: every message; `keyword`: the whole text equals `trigger_text`; `contains`: it is part of the text; `regex`: it is a regular ' +
      `expression (at most 500 characters). If a message is longer than ${MATCHED_CHARACTERS} characters, rules see only the first ${MATCHED_CHARACTERS}, after runs of spaces, of ` +
      'punctuation and emoji, of combining marks, or of one letter or digit are cut to 32 characters. A `keyword` must equal the whole message',
  );
const Reply = Joi.string().valid('text', 'image', 'document', 'audio', 'video', 'sticker');
const text = (longest: number) => Joi.string().max(longest).allow(null, '');

const fields = {
  name: Joi.string().trim().min(1).max(100).example('Price list'),
  trigger_type: Trigger.example('keyword'),
  trigger_text: text(1_000)
    .description(`Required unless the match is \`any\`. A trigger of more than ${MATCHED_CHARACTERS} characters never matches`)
    .example('price'),
  match_case: FlagSchema,
  reply_type: Reply,
  reply_body: text(4_096)
    .description('Required for text; tokens such as `{name}` are filled from the contact')
    .example('Hi {{first_name|there}}!'),
  reply_r2_key: text(256).description('Required for media: key of an uploaded file'),
  reply_caption: text(MAX_CAPTION_LENGTH).description(
    'For an image, a video or a document; may contain tokens like `reply_body`. Ignored for other files',
  ),
  cooldown_ms: Joi.number().integer().min(0).max(YEAR_MS).description('Minimum time before this rule answers in the same chat again'),
  priority: Joi.number()
    .integer()
    .min(-1_000_000)
    .max(1_000_000)
    .description('Rules with a higher priority are tried first. If priorities are equal, the older rule is tried first'),
  is_active: FlagSchema,
};

const WrittenSchema = Joi.object<WrittenRule & Pick<RuleFields, 'name' | 'trigger_type'>>({
  ...fields,
  name: fields.name.required(),
  trigger_type: fields.trigger_type.required(),
  match_case: fields.match_case.meta({ default: false }),
  reply_type: fields.reply_type.meta({ default: 'text' }),
  cooldown_ms: fields.cooldown_ms.meta({ default: 60_000 }),
  priority: fields.priority.meta({ default: 0 }),
  is_active: fields.is_active.meta({ default: true }),
});

const RuleSchema = Joi.object({
  id: Ulid.required(),
  session_id: Ulid.required(),
  name: Joi.string().required(),
  trigger_type: Trigger.required(),
  trigger_text: Joi.string().allow(null).required(),
  match_case: Joi.number().valid(0, 1).required(),
  reply_type: Reply.required(),
  reply_body: Joi.string().allow(null).required(),
  reply_r2_key: Joi.string().allow(null).required(),
  reply_caption: Joi.string().allow(null).required(),
  cooldown_ms: Joi.number().integer().required(),
  priority: Joi.number().integer().required(),
  is_active: Joi.number().valid(0, 1).required(),
  created_at: Timestamp.required(),
}).meta({ title: 'AutoReplyRule' });

const atRule = inSession.keys({ ruleId: Ulid.required() });

interface AutoReplyServices extends Omit<RuleDeps, 'media'> {
  readonly files: Pick<FileAccess, 'use'>;
}

const ofCaller = (services: AutoReplyServices, caller: Caller): RuleDeps => ({
  ...services,
  media: { use: (_tenantId, key) => services.files.use(fileViewer(caller), key) },
});

const row = rowsFor<AutoReplyServices>();

export const autoReply: Area<AutoReplyServices> = {
  name: 'auto-reply',
  about:
    'Rules that answer messages to a device, in 1:1 chats only. The first matching active rule answers, from the highest ' +
    '`priority` down; while it is in its cooldown, nothing answers. When no rule matches, the away text answers outside business hours (once in six ' +
    'hours), else the welcome text answers the first message of a person (see settings). A message gets one automatic answer, a chat at most 30 ' +
    'an hour, so that two machines cannot answer each other forever.',
  rows: [
    row({
      id: 'listAutoReplies',
      list: { of: 'rules' },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/auto-reply',
      summary: 'List auto-reply rules',
      about: 'List the rules of a device, oldest first',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: Joi.object({ rules: Joi.array().items(RuleSchema).required() }),
      run: async (services, { device }) => ({ rules: (await rulesOf(services, device)).map((rule) => toRule(rule, device._id)) }),
    }),
    row({
      id: 'createAutoReply',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/auto-reply',
      summary: 'Create an auto-reply rule',
      about: 'Create a rule, at most 500 for each device. A regular expression is checked first, which can take up to five seconds',
      audit: { action: 'auto_reply.create', on: 'auto_replies' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: WrittenSchema,
      status: 201,
      returns: Joi.object({ id: Ulid.required(), warnings: TokenWarnings }),
      refuses: ['UNSAFE_REGEX', 'NOT_FOUND', 'LIMIT_REACHED', 'OVERLOADED'],
      async run(services, { caller, device, body: { name, trigger_type, ...rest }, lang, now }) {
        const id = await createRule(ofCaller(services, caller), device, { ...RULE_DEFAULTS, name, trigger_type, ...read(rest) }, now);
        return { id, ...tokenWarnings(lang, rest.reply_body, rest.reply_caption) };
      },
    }),
    row({
      id: 'changeAutoReply',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/auto-reply/{ruleId}',
      summary: 'Update an auto-reply rule',
      example: { reply_body: 'Hi {{first_name|there}}, our prices are on the web site.', is_active: true },
      about: 'Update a rule. Omitted fields are unchanged. The result is checked like a new rule; its file is checked only if it changes',
      audit: { action: 'auto_reply.update', on: 'auto_replies' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      access: 'bearer',
      deviceKeys: true,
      params: atRule,
      body: Joi.object<WrittenRule>(fields),
      status: 200,
      returns: Joi.object({ ok: Joi.boolean().valid(true).required(), warnings: TokenWarnings }),
      refuses: ['UNSAFE_REGEX', 'CONFLICT', 'OVERLOADED'],
      async run(services, { caller, device, params, body, lang }) {
        await changeRule(ofCaller(services, caller), device, params.ruleId, read(body));
        return { ok: true, ...tokenWarnings(lang, body.reply_body, body.reply_caption) };
      },
    }),
    row({
      id: 'deleteAutoReply',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/auto-reply/{ruleId}',
      summary: 'Delete an auto-reply rule',
      about: 'Delete a rule and its cooldowns',
      audit: { action: 'auto_reply.delete', on: 'auto_replies' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      access: 'bearer',
      deviceKeys: true,
      params: atRule,
      status: 200,
      returns: Done,
      async run(services, { device, params }) {
        await removeRule(services, device, params.ruleId);
        return { ok: true };
      },
    }),
  ],
};

function toRule({ created_at, ...rule }: RuleRow, session_id: string) {
  return { ...rule, session_id, created_at };
}

function read({ match_case, is_active, ...rest }: WrittenRule): Partial<RuleFields> {
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, value === '' ? null : value])),
    ...(match_case !== undefined && { match_case: toFlag(match_case) }),
    ...(is_active !== undefined && { is_active: toFlag(is_active) }),
  };
}

const toFlag = (flag: Flag): 0 | 1 => (flag === true || flag === 1 || flag === 'true' || flag === '1' ? 1 : 0);
