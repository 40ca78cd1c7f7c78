/** Decides whether the server accepts bytes as the picture of an account, a group or a channel. */

const MAX_PICTURE_BYTES = 1_048_576;
const [JPEG_BEGINS, JPEG_ENDS] = [Buffer.from('ffd8ff', 'hex'), Buffer.from('ffd9', 'hex')];

/** Whether the bytes start and end with the markers of a JPEG. */
export const isPicture = (bytes: Buffer): boolean =>
  bytes.length <= MAX_PICTURE_BYTES && bytes.subarray(0, 3).equals(JPEG_BEGINS) && bytes.subarray(-2).equals(JPEG_ENDS);
