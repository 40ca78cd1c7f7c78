import type { JSX } from 'preact';
import { FrameKeys } from './frame-keys.tsx';
import { UnreadCounter } from './unread-counter.tsx';

/** Work that the frame does without being seen: keyboard shortcuts and the count of unread chats. */
export const FrameWork = ({ onRail }: { readonly onRail: () => void }): JSX.Element => (
  <>
    <UnreadCounter />
    <FrameKeys onRail={onRail} />
  </>
);
