import { inviteIn, linkAskedFor, linkByDefault, linksIn } from '../../../actors/domain/link-preview.ts';
import { invalidField } from '../../../actors/domain/refusals.ts';
import { isPublic } from '../../../actors/network/channels.ts';
import type { FileViewer } from '../../../actors/services/media/file-access.ts';
import { type FileWarning, PREVIEW_UNAVAILABLE } from '../../../actors/services/media/file-warnings.ts';
import type { LinkPreviews } from '../../../actors/services/media/previews/link-previews.ts';
import type { Egress } from '../../../runtime/egress/egress.ts';
import type { LinkPreview, MessageParts, OwnPreview } from '../../../store/messaging/message-row.ts';
import type { AttachingServices } from './attachments.ts';

export interface PreviewingServices extends Pick<AttachingServices, 'files' | 'media'> {
  readonly linkPreviews: LinkPreviews;
  readonly readEgress: Pick<Egress, 'check'>;
}

interface Text {
  readonly chat: string;
  readonly unfilled: string;
  readonly text: string;
  readonly link_preview: boolean | OwnPreview | undefined;
}

interface Previewed {
  readonly parts: Pick<MessageParts, 'link_preview' | 'preview'>;
  readonly warnings: readonly FileWarning[];
}

/**
 * Reports predictable failures now. The linked page itself is fetched just before the message is
 * sent.
 */
export async function previewOf(services: PreviewingServices, viewer: FileViewer, wanted: Text): Promise<Previewed> {
  const { chat, unfilled, text, link_preview } = wanted;
  if (link_preview === undefined) {
    const url = isPublic(chat) ? null : linkByDefault(unfilled);
    return { parts: url === null ? {} : { preview: { url, by_default: true } }, warnings: [] };
  }
  if (link_preview === false) return { parts: { link_preview }, warnings: [] };
  const url = link_preview === true ? linkAskedFor(unfilled, text) : ownLink(text, link_preview);
  if (url === null || isPublic(chat)) return { parts: { link_preview }, warnings: [PREVIEW_UNAVAILABLE] };
  if (link_preview !== true) return { parts: { link_preview, preview: await own(services, viewer, link_preview, url) }, warnings: [] };
  if (inviteIn(url)) return { parts: { link_preview, preview: { url } }, warnings: [] };
  const fails = services.linkPreviews.isKnownToFail(viewer.tenantId, url) || (await services.readEgress.check(url)) !== null;
  if (!fails) return { parts: { link_preview, preview: { url } }, warnings: [] };
  return { parts: { link_preview, preview: { url, failed: true } }, warnings: [PREVIEW_UNAVAILABLE] };
}

function ownLink(text: string, { url }: OwnPreview): string | null {
  if (url === undefined) return linksIn(text)[0] ?? null;
  if (text.includes(url)) return url;
  throw invalidField('link_preview.url', NOT_IN_TEXT);
}

const NOT_IN_TEXT = {
  en: 'link_preview.url must appear in the text exactly as it is',
  id: 'link_preview.url harus tercantum persis dalam teks',
};

async function own(
  { files, media }: PreviewingServices,
  viewer: FileViewer,
  { title, description, media_r2_key: key }: OwnPreview,
  url: string,
): Promise<LinkPreview> {
  const picture = key === undefined ? null : await media.previewPicture(await files.use(viewer, key));
  return { url, title, ...(description !== undefined && { description }), ...(picture !== null && { picture }) };
}
