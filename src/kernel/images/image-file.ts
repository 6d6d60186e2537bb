export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageFile {
  readonly content_type: ImageType;
  /** Pixels that a decoder would allocate for one frame. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

/** Why a file is refused as an image. */
export type ImageProblem =
  /** The file does not begin like a known type: it is a text, an SVG or another format. */
  | 'image_type_unknown'
  /** The structure is broken or ends too early. */
  | 'image_truncated'
  /** The file has other data after the image, so it may be of two types at once. */
  | 'image_trailing_bytes';

/** What the walk over the structure of an image has found. */
export interface WalkedImage {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Offset of the first byte after the image. */
  readonly end: number;
}
