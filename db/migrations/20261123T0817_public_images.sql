-- owner: platform
--
-- The public address of an image names neither a seller nor a product, so the file is found by its id alone.
create index file_image on file (file_id) where purpose = 'image';
