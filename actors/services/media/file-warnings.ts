/** Warning in the response of a successful send: the file is sent differently than requested. */
export interface FileWarning {
  readonly code: 'VOICE_NOT_CONVERTED' | 'THUMBNAIL_UNAVAILABLE' | 'SENT_AS_FILE' | 'PREVIEW_UNAVAILABLE';
  readonly en: string;
  readonly id: string;
}

export const VOICE_NOT_CONVERTED: FileWarning = {
  code: 'VOICE_NOT_CONVERTED',
  en: 'the sound could not be made a voice note here, so it is sent as an audio file',
  id: 'suara ini tidak dapat dijadikan pesan suara di sini, sehingga dikirim sebagai berkas audio',
};

export const THUMBNAIL_UNAVAILABLE: FileWarning = {
  code: 'THUMBNAIL_UNAVAILABLE',
  en: 'the file is sent without a small picture of itself, which could not be made here',
  id: 'berkas dikirim tanpa gambar kecilnya, yang tidak dapat dibuat di sini',
};

export const GIF_STANDS_STILL: FileWarning = {
  code: 'SENT_AS_FILE',
  en: 'the GIF is sent as a still picture: ffmpeg, which makes it a looping video, is not here',
  id: 'GIF dikirim sebagai gambar diam: ffmpeg, yang menjadikannya video berulang, tidak ada di sini',
};

export const PREVIEW_UNAVAILABLE: FileWarning = {
  code: 'PREVIEW_UNAVAILABLE',
  en: 'the text is sent without a preview of its link, which could not be had',
  id: 'teks dikirim tanpa pratinjau tautannya, yang tidak dapat diperoleh',
};
