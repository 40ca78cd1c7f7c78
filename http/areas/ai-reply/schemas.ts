import Joi from 'joi';
import type { SavedAnswerRow } from '../../../store/ai-reply/answers.ts';
import type { DocumentRow } from '../../../store/ai-reply/documents.ts';
import type { AiSettings } from '../../../store/ai-reply/settings.ts';
import type { UnansweredRow } from '../../../store/ai-reply/unanswered.ts';
import type { Lang } from '../../core/row.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';

export const AiEngine = Joi.string()
  .valid('engine_a', 'local')
  .description('`engine_a`: the configured engine; `local`: the reader of this gateway, which quotes')
  .example('local');
export const Share = Joi.number().min(0).max(1).description('0–1').example(0.72);

export const AiSources = Joi.array().items(
  Joi.object({
    kind: Joi.string().valid('answer', 'document').required(),
    id: Ulid.required(),
    name: Joi.string().allow('').required().description('The question of a saved answer, the name of a document').example('Opening hours'),
    text: Joi.string().allow('').required().example('We are open from 9 to 5.'),
    score: Share.required().description("The share of the question's weight that it covers, 0–1"),
  }).meta({ title: 'AiSource' }),
);

const Language = Joi.string().valid('auto', 'en', 'id').description('`auto`: that of the question').example('auto');
const OnlyWhen = Joi.string()
  .valid('always', 'outside_hours', 'unassigned')
  .description('`outside_hours`: of `away.hours` in the settings; `unassigned`: chats of no agent')
  .example('always');

const fields = {
  enabled: Joi.boolean().example(true),
  session_ids: Joi.array().items(Ulid).max(1_000).allow(null).description('The devices that answer; null: all').example(null),
  persona: Joi.string().max(500).allow('').description('How the engine is to speak; the local reader quotes').example('Friendly and brief'),
  language: Language,
  handoff_keywords: Joi.array()
    .items(Joi.string().trim().min(1).max(60))
    .max(50)
    .description('A message that is one of them, in any case and without marks at its ends, asks for a person')
    .example(['agent', 'human']),
  only_when: OnlyWhen,
  max_per_chat_hour: Joi.number().integer().min(1).max(60).description('Replies in one chat; more pause AI there for a day').example(6),
  threshold: Joi.number()
    .min(0)
    .max(1)
    .allow(null)
    .description('The least share of a question that a saved answer covers, a passage 0.1 more; null: calibrated from what is known')
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
    .description('Replies of this month, in the time zone of the business; without quota AI is silent'),
  engine: Joi.object({ name: AiEngine.required(), ready: Joi.boolean().required() })
    .required()
    .description('The engine that answers now: the local reader replaces `engine_a` until it is ready'),
  quality: Joi.object({
    answered: Share.required().description('Of questions that there is an answer for, the share that is answered'),
    right: Share.required().description('Of those, the share that is answered rightly'),
    false: Share.required().description('Of all other questions, the share that is answered all the same'),
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
      '`echo`: a text of ours came back; `too_fast`: three replies of ours were each answered within three seconds; `max_per_chat_hour`: as many replies as the settings allow were sent',
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
  source: Joi.string().valid('manual', 'unanswered').required().description('`unanswered`: written for a question that had no answer'),
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
  question: Joi.string().required().description('The first wording').example('ada parkir mobil?'),
  asked: Joi.number().integer().min(1).required().description('How often; alike questions are one').example(14),
  last_at: Timestamp.required(),
  chats: Joi.array()
    .items(Joi.object({ session_id: Ulid.required(), chat_id: Joi.string().max(64).required() }))
    .required()
    .description('The chats in which it was asked last'),
}).meta({ title: 'UnansweredQuestion' });

export function toUnanswered({ _id: id, question, asked, last_at, askers }: UnansweredRow) {
  const chats = new Map(askers.map(({ session_id, chat_id }) => [`${session_id}:${chat_id}`, { session_id, chat_id }]));
  return { id, question, asked, last_at, chats: [...chats.values()].toReversed() };
}

export const DocumentSchema = Joi.object({
  id: Ulid.required(),
  name: Joi.string()
    .required()
    .description('The name of the uploaded file; of a page its title, once it is read')
    .example('Price list.pdf'),
  ext: Joi.string().valid('pdf', 'docx', 'xlsx', 'csv', 'txt', 'md', 'html').required(),
  size: Joi.number().integer().min(0).required().description('Bytes'),
  status: Joi.string()
    .valid('uploading', 'parsing', 'ready', 'failed', 'deleting')
    .required()
    .description('`parsing`: it is read; while it is read again, its text of before answers')
    .example('ready'),
  progress: Share.required().description('0–1, how far it is read'),
  chunks: Joi.number().integer().min(0).required().description('Passages that can be found and quoted'),
  error: Joi.string()
    .allow(null)
    .required()
    .description('Why it could not be read, or, of a `ready` one, a warning; in the language of the request')
    .example(null),
  warnings: Joi.array()
    .items(Joi.string())
    .required()
    .description(
      'What was left out of it (hidden sheets, rows and columns, struck-out text, pages without text); in the language of the request',
    )
    .example(['hidden sheets were left out: Costs']),
  engine: AiEngine.required().description('The extractor of its text'),
  source_url: Joi.string().allow(null).required().description('The page it was read from; null: it was uploaded').example(null),
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
  answer: Joi.string().allow(null).required().description('null: nothing would be said').example('Yes, to Singapore and Malaysia.'),
  sources: AiSources.required(),
  score: Share.required().description('Of the best that is known'),
  threshold: Share.required().description('The threshold to reach'),
  engine: AiEngine.required(),
  reason: Joi.string()
    .required()
    .description(
      '`saved_answer`, `quoted`, `engine`; or why nothing is said: `not_a_question`, `no_knowledge`, `below_threshold`, `engine_silent` (the passages do not tell), `engine_void` (it said what stands in no passage that it cites), `withheld` (it asked for a secret or had a link of others), `handoff` (a person is asked for)',
    )
    .example('saved_answer'),
}).meta({ title: 'AiAnswer' });
