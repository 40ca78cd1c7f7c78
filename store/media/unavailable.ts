export class MediaUnavailable extends Error {
  override readonly name = 'MediaUnavailable';
}
