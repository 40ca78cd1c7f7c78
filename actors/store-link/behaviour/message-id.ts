import { derivedId, momentOfId } from '../../../runtime/derived-ids.ts';
import type { StoreLinkOwner } from '../../../store/store-links/links.ts';
import type { MessageKind } from '../protocol.ts';

/** Derives the id of a message. If the message is scheduled again, the id is the same. */
export const storeMessageId = ({ linkId }: Pick<StoreLinkOwner, 'linkId'>, kind: MessageKind, of: string): string =>
  derivedId(`store message ${linkId} ${kind} ${of}`, momentOfId(linkId));
