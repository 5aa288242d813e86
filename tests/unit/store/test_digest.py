from nsys_walls.store.digest import content_digest, path_digest

MIB = 1 << 20


def test_small_files_are_hashed_whole(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a" * 1000)
    two.write_bytes(b"a" * 999 + b"b")
    assert content_digest(one) != content_digest(two)
    two.write_bytes(b"a" * 1000)
    assert content_digest(one) == content_digest(two)


def test_large_files_are_sampled_at_both_ends_and_between(tmp_path):
    path = tmp_path / "large"
    digests = set()
    for changed in (None, 0, 13 * MIB // 2, 20 * MIB - 1):
        with path.open("wb") as file:
            file.truncate(20 * MIB)
            if changed is not None:
                file.seek(changed)
                file.write(b"x")
        digests.add(content_digest(path))
    assert len(digests) == 4


def test_a_path_can_not_be_read_from_its_hash(tmp_path):
    digest = path_digest(tmp_path / "trace.sqlite")
    assert len(digest) == 32
    assert "trace" not in digest
    assert digest == path_digest(tmp_path / "x" / ".." / "trace.sqlite")
