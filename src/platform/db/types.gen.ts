export interface DB { seller: {seller_id: string} }
