import Joi from 'joi';
import type { SavedAnswerRow } from '../../../store/ai-reply/answers.ts';
import type { DocumentRow } from '../../../store/ai-reply/documents.ts';
import type { AiSettings } from '../../../store/ai-reply/settings.ts';
import type { UnansweredRow } from '../../../store/ai-reply/unanswered.ts';
import type { Lang } from '../../core/row.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';

export const AiEngine = Joi.string()
  .valid('engine_a', 'local')
  .description('`engine_a`: the configured engine; `local`: the reader of this gateway, which quotes your texts')
  .example('local');
export const Share = Joi.number().min(0).max(1).description('0–1').example(0.72);

export const AiSources = Joi.array().items(
  Joi.object({
    kind: Joi.string().valid('answer', 'document').required(),
    id: Ulid.required(),
    name: Joi.string()
      .allow('')
      .required()
      .description('The question of a saved answer, or the name of a document')
      .example('Opening hours'),
    text: Joi.string().allow('').required().example('We are open from 9 to 5.'),
    score: Share.required().description('How much of the question this source covers, 0–1'),
  }).meta({ title: 'AiSource' }),
);

const Language = Joi.string().valid('auto', 'en', 'id').description('`auto`: the language of the question').example('auto');
const OnlyWhen = Joi.string()
  .valid('always', 'outside_hours', 'unassigned')
  .description('`outside_hours`: outside `away.hours` of the settings; `unassigned`: only in chats without an agent')
  .example('always');

const fields = {
  enabled: Joi.boolean().example(true),
  session_ids: Joi.array().items(Ulid).max(1_000).allow(null).description('The devices on which AI answers; null for all').example(null),
  persona: Joi.string()
    .max(500)
    .allow('')
    .description('How the engine should write. The local reader ignores it, because it only quotes')
    .example('Friendly and brief'),
  language: Language,
  handoff_keywords: Joi.array()
    .items(Joi.string().trim().min(1).max(60))
    .max(50)
    .description('A message that consists of one of these asks for a person. Letter case and surrounding punctuation are ignored')
    .example(['agent', 'human']),
  only_when: OnlyWhen,
  max_per_chat_hour: Joi.number()
    .integer()
    .min(1)
    .max(60)
    .description('Replies per chat and hour. Above this limit, AI is paused in the chat for a day')
    .example(6),
  threshold: Joi.number()
    .min(0)
    .max(1)
    .allow(null)
    .description(
      'The share of a question that a saved answer must cover; a passage must cover 0.1 more. null: calibrated from your documents and answers',
    )
    .example(null),
};

export const AiSettingsChange = Joi.object<Partial<AiSettings>>(fields);

const count = Joi.number().integer().min(0).required();

export const AiReplySchema = Joi.object({
  enabled: fields.enabled.required(),
  session_ids: fields.session_ids.required(),
  persona: fields.persona.required(),
  language: Language.required(),
  handoff_keywords: fields.handoff_keywords.required(),
  only_when: OnlyWhen.required(),
  max_per_chat_hour: fields.max_per_chat_hour.required(),
  threshold: fields.threshold.required(),
  quota: Joi.object({ used: count, limit: count })
    .meta({ title: 'QuotaUse' })
    .required()
    .description('Replies this month, in the time zone of the business. AI is silent when the quota is used up'),
  engine: Joi.object({ name: AiEngine.required(), ready: Joi.boolean().required() })
    .required()
    .description('The engine that answers now. The local reader stands in for `engine_a` until that is ready'),
  quality: Joi.object({
    answered: Share.required().description('Share of answerable questions that are answered'),
    right: Share.required().description('Share of these answers that are right'),
    false: Share.required().description('Share of all other questions that are answered although they should not be'),
  })
    .required()
    .description('The expected accuracy of the local reader, measured on the documents and saved answers whenever they change'),
}).meta({ title: 'AiReply' });

export const AiPausedSchema = Joi.object({
  session_id: Ulid.required(),
  chat_id: Joi.string().required().example('6281211110001@s.whatsapp.net'),
  phone: Joi.string().allow(null).required().example('6281211110001'),
  lid: Joi.string().allow(null).required().example(null),
  reason: Joi.string()
    .valid('echo', 'too_fast', 'max_per_chat_hour')
    .required()
    .description(
      '`echo`: the other side sent one of the replies back; `too_fast`: three replies in a row were each answered within three seconds; `max_per_chat_hour`: the limit of the settings was reached',
    )
    .example('too_fast'),
});

const Question = Joi.string().trim().min(1).max(500).example('Do you ship abroad?');
export const AnswerText = Joi.string().trim().min(1).max(2_000).example('Yes, to Singapore and Malaysia.');

export const NewAnswer = Joi.object<{ question: string; answer: string }, true>({
  question: Question.required(),
  answer: AnswerText.required(),
});
export const AnswerChange = Joi.object<{ question?: string; answer?: string }>({ question: Question, answer: AnswerText });

export const SavedAnswerSchema = Joi.object({
  id: Ulid.required(),
  question: Question.required(),
  answer: AnswerText.required(),
  source: Joi.string().valid('manual', 'unanswered').required().description('`unanswered`: saved as the answer to an unanswered question'),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'SavedAnswer' });

export const toAnswer = ({ _id: id, question, answer, source, created_at, updated_at }: SavedAnswerRow) => ({
  id,
  question,
  answer,
  source,
  created_at,
  updated_at,
});

export const UnansweredSchema = Joi.object({
  id: Ulid.required(),
  question: Joi.string().required().description('The wording in which it was first asked').example('ada parkir mobil?'),
  asked: Joi.number().integer().min(1).required().description('How often it was asked. Similar questions are counted together').example(14),
  last_at: Timestamp.required(),
  chats: Joi.array()
    .items(Joi.object({ session_id: Ulid.required(), chat_id: Joi.string().max(64).required() }))
    .required()
    .description('The chats in which it was asked most recently'),
}).meta({ title: 'UnansweredQuestion' });

export function toUnanswered({ _id: id, question, asked, last_at, askers }: UnansweredRow) {
  const chats = new Map(askers.map(({ session_id, chat_id }) => [`${session_id}:${chat_id}`, { session_id, chat_id }]));
  return { id, question, asked, last_at, chats: [...chats.values()].toReversed() };
}

export const DocumentSchema = Joi.object({
  id: Ulid.required(),
  name: Joi.string()
    .required()
    .description('The name of the uploaded file, or the title of the web page once it is read')
    .example('Price list.pdf'),
  ext: Joi.string().valid('pdf', 'docx', 'xlsx', 'csv', 'txt', 'md', 'html').required(),
  size: Joi.number().integer().min(0).required().description('Bytes'),
  status: Joi.string()
    .valid('uploading', 'parsing', 'ready', 'failed', 'deleting')
    .required()
    .description('`parsing`: being read. While a document is read again, replies use its old text')
    .example('ready'),
  progress: Share.required().description('Reading progress, 0–1'),
  chunks: Joi.number().integer().min(0).required().description('Passages that can be found and quoted'),
  error: Joi.string()
    .allow(null)
    .required()
    .description('Why the document could not be read, or a warning about a `ready` one, in the language of the request')
    .example(null),
  warnings: Joi.array()
    .items(Joi.string())
    .required()
    .description('What was left out (hidden sheets, rows and columns, struck-out text, pages without text), in the language of the request')
    .example(['hidden sheets were left out: Costs']),
  engine: AiEngine.required().description('The program that extracted the text'),
  source_url: Joi.string().allow(null).required().description('The address of the web page; null for an uploaded file').example(null),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'KnowledgeDocument' });

export function toDocument(row: DocumentRow, lang: Lang) {
  const { _id: id, name, ext, size, status, progress, chunks, error, engine, source_url, created_at, updated_at } = row;
  const warnings = (row.warnings ?? []).map((warning) => warning[lang]);
  return {
    id,
    name,
    ext,
    size,
    status,
    progress,
    chunks,
    error: error?.[lang] ?? null,
    warnings,
    engine,
    source_url,
    created_at,
    updated_at,
  };
}

export const AskedSchema = Joi.object({
  answer: Joi.string().allow(null).required().description('null if AI would stay silent').example('Yes, to Singapore and Malaysia.'),
  sources: AiSources.required(),
  score: Share.required().description('The score of the best match'),
  threshold: Share.required().description('The score that an answer must reach'),
  engine: AiEngine.required(),
  reason: Joi.string()
    .required()
    .description(
      '`saved_answer`, `quoted`, `engine`; or why AI stays silent: `not_a_question`, `no_knowledge`, `below_threshold`, `engine_silent` (the passages do not contain the answer), `engine_void` (the answer is not in the passages that it cites), `withheld` (the answer asked for a secret or had a foreign link), `handoff` (the customer asks for a person)',
    )
    .example('saved_answer'),
}).meta({ title: 'AiAnswer' });
