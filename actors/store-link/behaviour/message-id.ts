import { derivedId, momentOfId } from '../../../runtime/derived-ids.ts';
import type { StoreLinkOwner } from '../../../store/store-links/links.ts';
import type { MessageKind } from '../protocol.ts';

/** Deterministic, so that scheduling a message again gives the same id. */
export const storeMessageId = ({ linkId }: Pick<StoreLinkOwner, 'linkId'>, kind: MessageKind, of: string): string =>
  derivedId(`store message ${linkId} ${kind} ${of}`, momentOfId(linkId));
