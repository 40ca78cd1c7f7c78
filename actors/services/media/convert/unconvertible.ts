export const CAUSES = ['unreadable', 'needs_ffmpeg', 'too_long', 'too_many_pixels'] as const;
export type Cause = (typeof CAUSES)[number];

export class Unconvertible extends Error {
  override readonly name = 'Unconvertible';
  readonly reason: Cause;

  constructor(reason: Cause) {
    super(`a file was not converted: ${reason}`);
    this.reason = reason;
  }
}
