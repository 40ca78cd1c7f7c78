import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import type { Draft, Media } from './steps.ts';

/**
 * Converts a campaign's message to the fields of the API and back. Invariant: a text message uses
 * `body`, and the text below a file uses `caption`. The functions have no side effects.
 */

type Content = Pick<Schemas['CreateBlastRequest'], 'message_type' | 'body' | 'media_r2_key' | 'caption' | 'template_id' | 'variables'>;

export const MOST = { text: 65_536, caption: 1_024 } as const;

export function contentOf({ body, media, template }: Pick<Draft, 'body' | 'media' | 'template'>): Content {
  const header = media === null ? { message_type: 'text' as const } : { message_type: media.type, media_r2_key: media.key };
  if (template !== null) return { ...header, template_id: template.id, variables: { ...template.variables } };
  if (media === null) return { message_type: 'text', body };
  // Audio with a text is sent as a document, because the network shows no text below audio.
  const message_type = media.type === 'audio' && body !== '' ? 'document' : media.type;
  return { message_type, media_r2_key: media.key, ...(body !== '' && { caption: body }) };
}

export function mediaTypeOf(contentType: string): Media['type'] {
  const [family] = contentType.split('/');
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document';
}

type Campaign = Schemas['BlastCampaign'];

/** Whether the wizard can edit a draft. It does not support templates, rotators or contact groups. */
export const isEditable = ({ status, template_id, rotator_id, group_id, message_type }: Campaign): boolean =>
  status === 'draft' && template_id === null && rotator_id === null && group_id === null && message_type !== 'sticker';

export function draftFrom(campaign: Campaign): Draft {
  const { name, session_id, tag, tags, segment_id, all_contacts, exclude_tags, body, caption, scheduled_at } = campaign;
  const chosen = tag === null ? tags : [tag];
  return {
    name,
    sessionId: session_id ?? '',
    audience: all_contacts ? 'all' : chosen.length > 0 ? 'tags' : segment_id !== null ? 'segment' : 'kept',
    lines: '',
    segmentId: segment_id ?? '',
    tags: chosen,
    without: exclude_tags,
    quietHours: campaign.skip_if_messaged_within_hours,
    body: body ?? caption ?? '',
    media: mediaFrom(campaign),
    template: null,
    at: scheduled_at,
  };
}

function mediaFrom({ media_r2_key: key, message_type }: Campaign): Media | null {
  if (key === null) return null;
  return { key, type: mediaTypeOf(`${message_type}/`), name: null, size: null };
}
