/** What became of a file that is sent in another way than was asked: the send goes on, and its answer says so. */
export interface FileWarning {
  readonly code: 'VOICE_NOT_CONVERTED' | 'THUMBNAIL_UNAVAILABLE' | 'SENT_AS_FILE';
  readonly en: string;
  readonly id: string;
}

export const VOICE_NOT_CONVERTED: FileWarning = {
  code: 'VOICE_NOT_CONVERTED',
  en: 'the sound could not be made a voice note here, so it is sent as an audio file',
  id: 'suara ini tidak dapat dijadikan pesan suara di sini, sehingga dikirim sebagai berkas audio',
};
