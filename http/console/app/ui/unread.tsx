import type { JSX } from 'preact';
import { unreadText } from '../state/unread.ts';
import { common } from '../words/common.ts';

export const UnreadCount = ({ count }: { readonly count: number }): JSX.Element | null =>
  count === 0 ? null : (
    <span class="count" data-testid="unread-chats">
      <span aria-hidden="true">{unreadText(count)}</span>
      <span class="only-heard">{common().unreadChats(unreadText(count), count)}</span>
    </span>
  );
