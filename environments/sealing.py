import hashlib
def commitment(nonce, instance):
    return hashlib.sha256(nonce + instance.content_hash.encode()).hexdigest()
