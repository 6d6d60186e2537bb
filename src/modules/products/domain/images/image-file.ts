export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageFile {
  readonly content_type: ImageType;
  /** Pixels that a decoder would allocate for one frame. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

/** Why bytes are refused as an image. */
export type ImageProblem =
  /** No signature of a known type: text, SVG, another format. */
  | 'image_type_unknown'
  /** The structure is broken or ends too early. */
  | 'image_truncated'
  /** Other bytes follow the image: the file may be of two types at once. */
  | 'image_trailing_bytes';

/** A walk over the structure: the dimensions and where the image ends, or `null` when it is broken. */
export interface Walked {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Offset of the first byte after the image. */
  readonly end: number;
}
