import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import type { Draft, Media } from './steps.ts';

/**
 * The message of a campaign in the fields of the API, and back. Invariant: a text message uses `body`,
 * the text under a file uses `caption`. Pure functions.
 */

type Content = Pick<Schemas['CreateBlastRequest'], 'message_type' | 'body' | 'media_r2_key' | 'caption' | 'template_id' | 'variables'>;

/** Maximum length of a message text and of a caption. */
export const MOST = { text: 65_536, caption: 1_024 } as const;

export function contentOf({ body, media, template }: Pick<Draft, 'body' | 'media' | 'template'>): Content {
  // The file is the header of the template.
  const header = media === null ? { message_type: 'text' as const } : { message_type: media.type, media_r2_key: media.key };
  if (template !== null) return { ...header, template_id: template.id, variables: { ...template.variables } };
  if (media === null) return { message_type: 'text', body };
  // The network does not show a text under audio, but it does under a document.
  const message_type = media.type === 'audio' && body !== '' ? 'document' : media.type;
  return { message_type, media_r2_key: media.key, ...(body !== '' && { caption: body }) };
}

export function mediaTypeOf(contentType: string): Media['type'] {
  const [family] = contentType.split('/');
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document';
}

type Campaign = Schemas['BlastCampaign'];

/** Whether the wizard can show all of this draft: not templates, rotators or groups of contacts. */
export const isEditable = ({ status, template_id, rotator_id, group_id, message_type }: Campaign): boolean =>
  status === 'draft' && template_id === null && rotator_id === null && group_id === null && message_type !== 'sticker';

/** The wizard's input for an existing draft. Its listed recipients stay unchanged. */
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
