import Joi from 'joi';

/**
 * The requests that Chatwoot accepts, according to its published OpenAPI and documentation. The double rejects
 * everything else with 422, so that a wrong field is detected.
 */

const id = Joi.number().integer().min(1).required();
const text = Joi.string().allow('');

const contact = Joi.object({
  inbox_id: id,
  name: Joi.string().required(),
  identifier: Joi.string().required(),
  phone_number: Joi.string().pattern(/^\+[1-9]\d{1,14}$/),
});

const filter = Joi.object({
  payload: Joi.array()
    .items(
      Joi.object({
        attribute_key: Joi.string().valid('identifier', 'phone_number').required(),
        filter_operator: Joi.valid('equal_to').required(),
        values: Joi.array().items(Joi.string()).length(1).required(),
        query_operator: Joi.valid(null).required(),
      }),
    )
    .length(1)
    .required(),
});

const message = Joi.object({
  content: text.max(150_000),
  message_type: Joi.string().valid('incoming', 'outgoing').required(),
  private: Joi.boolean().required(),
  source_id: Joi.string().required(),
  content_attributes: Joi.object({ in_reply_to: Joi.number().integer(), external_created_at: Joi.number().integer() }).required(),
  file: Joi.object(),
}).when(Joi.object({ file: Joi.exist() }).unknown(), { otherwise: Joi.object({ content: Joi.string().required() }) });

export const SHAPES = {
  inbox: Joi.object({ channel: Joi.object({ webhook_url: Joi.string().uri().required() }).required() }),
  contact,
  filter,
  join: Joi.object({ inbox_id: id, source_id: Joi.string() }),
  conversation: Joi.object({ source_id: Joi.string().required(), inbox_id: id, contact_id: id, status: Joi.valid('open').required() }),
  message,
  status: Joi.object({
    status: Joi.string().valid('sent', 'delivered', 'read', 'failed').required(),
    external_error: Joi.string(),
  }),
  labels: Joi.object({
    labels: Joi.array()
      .items(Joi.string().pattern(/^[\p{L}\p{N}_-]+$/u))
      .required(),
  }),
} as const;
